/**
 * Reads what the values of options contain: lists, URLs and files.
 */
import * as Effect from "effect/Effect"
import { UsageError } from "@messaging-topup/sandbox/command-line"
import { readFileSync } from "node:fs"
import { badOption, type Given } from "../Options.ts"

/** Splits at commas, and drops blanks around the entries and empty entries. */
export const list = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

/** A host name without port, or an IPv6 address in brackets. */
const isHostname = (text: string): boolean => /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/i.test(text)

export const hostnames = Effect.fnUntraced(function* (
  given: Given,
  name: "allow-webhook-hosts" | "allowed-hosts" | "allowed-origins"
) {
  const text = yield* given.value(name)
  if (text === undefined) return undefined
  const listed = list(text)
  return listed.length > 0 && listed.every(isHostname)
    ? listed.map((host) => host.toLowerCase())
    : yield* badOption(name, "give host names without scheme and port, separated by commas")
})

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "error"

/** `setting` is the option or variable that names the file. The path is no secret, so errors show it. */
export const fileBytes = (setting: string, path: string): Effect.Effect<Uint8Array, UsageError> =>
  Effect.try({
    try: () => readFileSync(path),
    catch: (error) =>
      new UsageError({ problem: `${setting}: ${path} cannot be read (${codeOf(error)})` })
  })

export const fileText = (setting: string, path: string): Effect.Effect<string, UsageError> =>
  Effect.map(fileBytes(setting, path), (bytes) => new TextDecoder().decode(bytes))
