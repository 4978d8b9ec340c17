/** Starts a sandbox on an HTTP server or in process. */
import { inProcessHost, isLoopbackHost } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Engine from "../Engine.ts"
import { check } from "../Schemas.ts"
import type { StartOptions, StoredRequest } from "../Types.ts"
import * as App from "./App.ts"
import * as InProcess from "./InProcess.ts"
import * as NodeServer from "./NodeServer.ts"

/** The defaults of `StartOptions`. */
export const defaults = { host: "127.0.0.1", port: 0, maxMessages: 10_000, maxRequests: 1_000 }

const start = Effect.fnUntraced(function* (
  given: StartOptions,
  onRequest?: (request: StoredRequest) => void
) {
  const options = { ...defaults, ...(yield* check.options(given)) }
  const engine = yield* Engine.make(options, onRequest)
  return { options, app: yield* App.make(engine, isLoopbackHost(options.host)), engine }
})

export const onServer = Effect.fnUntraced(function* (...given: Parameters<typeof start>) {
  const { app, engine, options } = yield* start(...given)
  return { ...engine.forPrograms, baseUrl: yield* NodeServer.make(options, app) }
})

const inProcessUrl = `https://${inProcessHost}`

export const inProcess = Effect.fnUntraced(function* (given: StartOptions) {
  const { app, engine } = yield* start(given)
  return {
    transport: yield* InProcess.make(inProcessUrl, app),
    forPrograms: { ...engine.forPrograms, baseUrl: inProcessUrl }
  }
})
