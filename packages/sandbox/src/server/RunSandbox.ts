/**
 * Starts a sandbox on an HTTP server or in process.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Control from "../control/Control.ts"
import { isLoopback } from "../http/Loopback.ts"
import type { StoredRequest } from "../record/Stored.ts"
import * as Engine from "./Engine.ts"
import * as InProcessFetch from "./InProcessFetch.ts"
import { checked } from "./InvalidInput.ts"
import * as NodeServer from "./NodeServer.ts"
import type { StartOptions } from "./StartOptions.ts"

/** The defaults of `StartOptions`. */
export const defaults = { host: "127.0.0.1", port: 0, maxMessages: 10_000, maxRequests: 1_000 }

const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))

const check = checked(
  Schema.Struct({
    port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))),
    host: Schema.optionalKey(Schema.NonEmptyString),
    token: Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII characters" })
      )
    ),
    maxMessages: count,
    maxRequests: count
  })
)

export const onServer = Effect.fnUntraced(function* (
  given: StartOptions,
  onRequest?: (request: StoredRequest) => void
) {
  const options = { ...defaults, ...(yield* check(given)) }
  const engine = yield* Engine.make(options, onRequest)
  const { controls, service } = engine
  const control = yield* Control.make(
    controls,
    isLoopback(options.host) ? undefined : service.token
  )
  const server = yield* NodeServer.make(options, { ...engine, control })
  engine.listenOn(server)
  return { ...service, baseUrl: server.url }
})

const inProcessUrl = "https://sandbox.invalid"

export const inProcess = Effect.fnUntraced(function* (given: StartOptions) {
  const engine = yield* Engine.make({ ...defaults, ...(yield* check(given)) }, undefined)
  const fetch = yield* InProcessFetch.make(inProcessUrl, engine)
  return { service: { ...engine.service, baseUrl: inProcessUrl }, fetch }
})
