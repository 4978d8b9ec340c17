/**
 * Runs the examples as a user does, each in its own process, on the sandbox of the test.
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { resolve } from "node:path"
import { runNode } from "./Process.ts"

interface Options {
  /** The working directory. Defaults to the workspace's root. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export const run = (script: string, args: ReadonlyArray<string> = [], options: Options = {}) =>
  Effect.promise(() =>
    runNode([resolve(script), ...args], { ...options, env: { NO_COLOR: "1", ...options.env } })
  )

/** The variables of a program that uses the sandbox of the test. */
export const sandboxSettings = Effect.map(Sandbox, ({ baseUrl, token }) => ({
  MESSAGING_TOPUP_BASE_URL: baseUrl,
  MESSAGING_TOPUP_TOKEN: Redacted.value(token)
}))

export const onSandbox = (script: string, args?: ReadonlyArray<string>, options: Options = {}) =>
  Effect.flatMap(sandboxSettings, (settings) =>
    run(script, args, { ...options, env: { ...settings, ...options.env } })
  )

export const sandboxed = Effect.provide(Sandbox.layer())
