/**
 * The servers that the conformance suites are let loose on.
 */
import { serve } from "@messaging-topup/mcp-server/src/http/StreamableHttp.ts"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { makeFixtureFactory } from "./FixtureServer.ts"
import { serverFile } from "../../support/ServerFile.ts"

export interface Host extends AsyncDisposable {
  readonly url: string
}

const local = ["localhost", "127.0.0.1"]

/** What the suites ask for, behind our own HTTP front. */
export const fixtureHost = async (): Promise<Host> => {
  const served = Promise.withResolvers<string>()
  const fiber = Effect.runFork(
    serve(makeFixtureFactory(), {
      host: "127.0.0.1",
      port: 0,
      allowedHosts: local,
      allowedOrigins: local,
      maxSessions: 100,
      sessionIdleTimeout: Duration.minutes(10),
      drain: Effect.void,
      shutdownGrace: Duration.zero,
      onError: () => {}
    }).pipe(
      Effect.tap(({ url }) => Effect.sync(() => served.resolve(url))),
      Effect.andThen(Effect.never),
      Effect.scoped
    )
  )
  fiber.addObserver((exit) => served.reject(exit))
  return {
    url: await served.promise,
    [Symbol.asyncDispose]: () => Effect.runPromise(Effect.asVoid(Fiber.interrupt(fiber)))
  }
}

/** Our own server, as people start it who want pages of this machine in: one scenario is such a page. */
export const ownHost = async (): Promise<Host> => {
  const args = ["--sandbox", "--http", "--port", "0", "--allowed-origins", local.join(",")]
  const child = spawn(process.execPath, [serverFile, ...args], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  const stop = async () => {
    const exited = once(child, "exit")
    if (child.kill()) await exited
  }
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /http:\/\/\S+?\/mcp/.exec(line)?.[0]
    if (url !== undefined) {
      // What it logs from now on fills no pipe.
      child.stderr.resume()
      return { url, [Symbol.asyncDispose]: stop }
    }
  }
  throw new Error("the server ended before it listened")
}
