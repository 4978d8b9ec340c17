/**
 * Starts a sandbox on an HTTP server or in process.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Exposure } from "../control/Access.ts"
import { MessageFilter } from "../record/Schemas.ts"
import type { MessageFilter as Filter } from "../record/Stored.ts"
import type { InProcessOptions, SandboxOptions } from "./SandboxOptions.ts"
import { UnknownMessage } from "../record/UnknownMessage.ts"
import * as Engine from "./Engine.ts"
import * as InProcessFetch from "./InProcessFetch.ts"
import type { LoggedRequest } from "../record/LoggedRequest.ts"
import { isLoopback } from "../http/Loopback.ts"
import * as NodeServer from "./NodeServer.ts"
import { randomToken } from "./RandomToken.ts"

type OnRequest = (request: LoggedRequest) => void

/** The defaults of `SandboxOptions`. */
export const defaults = { host: "127.0.0.1", port: 0, maxMessages: 10_000, maxRequests: 1_000 }

const atLeastOne = (option: string, value: number) =>
  Number.isInteger(value) && value >= 1
    ? Effect.succeed(value)
    : Effect.die(new RangeError(`${option} must be a whole number of at least 1`))

const decodeFilter = Schema.decodeUnknownEffect(MessageFilter)

const makeEngine = Effect.fnUntraced(function* (
  options: InProcessOptions,
  exposure: Exposure,
  onRequest: OnRequest
) {
  const token = options.token ?? randomToken()
  const engine = yield* Engine.make({
    token,
    exposure,
    maxMessages: yield* atLeastOne("maxMessages", options.maxMessages ?? defaults.maxMessages),
    maxRequests: yield* atLeastOne("maxRequests", options.maxRequests ?? defaults.maxRequests),
    onRequest
  })
  const { messages, setStatus } = engine.service
  const service = {
    ...engine.service,
    token,
    messages: (filter: Filter = {}) => Effect.flatMap(Effect.orDie(decodeFilter(filter)), messages),
    setStatus: (messageId: string, status: string) =>
      status === ""
        ? Effect.die(new RangeError("A status must have at least one character"))
        : Effect.flatMap(setStatus(messageId, status), (message) =>
            message === undefined
              ? Effect.fail(new UnknownMessage({ message_id: messageId }))
              : Effect.succeed(message)
          )
  }
  return { ...engine, service }
})

export const onServer = Effect.fnUntraced(function* (
  options: SandboxOptions,
  onRequest: OnRequest = () => {}
) {
  const { host = defaults.host, port = defaults.port } = options
  const exposure = isLoopback(host) ? "Loopback" : "Network"
  const engine = yield* makeEngine(options, exposure, onRequest)
  const server = yield* NodeServer.make({ host, port }, engine)
  engine.listenOn(server)
  return { service: { ...engine.service, baseUrl: server.url }, stored: engine.stored }
})

const inProcessUrl = "https://sandbox.invalid"

export const inProcess = Effect.fnUntraced(function* (options: InProcessOptions) {
  const engine = yield* makeEngine(options, "Program", () => {})
  const fetch = yield* InProcessFetch.make(inProcessUrl, engine)
  return { service: { ...engine.service, baseUrl: inProcessUrl }, fetch }
})
