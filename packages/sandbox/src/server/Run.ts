/** Starts a sandbox on an HTTP server or in process. */
import * as Effect from "effect/Effect"
import * as Control from "../control/Control.ts"
import * as Engine from "../Engine.ts"
import { isLoopback } from "../http/Access.ts"
import { check } from "../Schemas.ts"
import type { StartOptions, StoredRequest } from "../Types.ts"
import * as InProcess from "./InProcess.ts"
import * as NodeServer from "./NodeServer.ts"

/** The defaults of `StartOptions`. */
export const defaults = { host: "127.0.0.1", port: 0, maxMessages: 10_000, maxRequests: 1_000 }

export const onServer = Effect.fnUntraced(function* (
  given: StartOptions,
  onRequest?: (request: StoredRequest) => void
) {
  const options = { ...defaults, ...(yield* check.options(given)) }
  const engine = yield* Engine.make(options, onRequest)
  const isLocal = isLoopback(options.host)
  const control = yield* Control.make(engine, isLocal ? undefined : engine.forPrograms.token)
  return { ...engine.forPrograms, baseUrl: yield* NodeServer.make(options, engine, control) }
})

const inProcessUrl = "https://sandbox.invalid"

export const inProcess = Effect.fnUntraced(function* (given: StartOptions) {
  const engine = yield* Engine.make({ ...defaults, ...(yield* check.options(given)) })
  return {
    transport: yield* InProcess.make(inProcessUrl, engine),
    forPrograms: { ...engine.forPrograms, baseUrl: inProcessUrl }
  }
})
