/**
 * The handlers of the control endpoints.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type { CurrentFault } from "../faults/FaultSchema.ts"
import type { SandboxFault } from "../faults/Fault.ts"
import { controlError, noSuchControl, unknownMessageId } from "../http/ErrorResponses.ts"
import { SchemaErrors } from "../http/SchemaErrors.ts"
import type { PageQuery } from "../record/RecentEntries.ts"
import type { RequestPage } from "../record/Schemas.ts"
import type { State } from "../record/State.ts"
import { control, health } from "./ControlApi.ts"
import type { EventReaders } from "./EventReaders.ts"

/** The state of the sandbox that the control endpoints read and change. */
export class Controls extends Context.Service<
  Controls,
  {
    readonly messages: Pick<State["Service"], "page" | "get" | "setStatus">
    readonly clearMessages: Effect.Effect<void>
    readonly requests: (query: PageQuery) => Effect.Effect<typeof RequestPage.Type>
    readonly clearRequests: Effect.Effect<void>
    readonly fault: Effect.Effect<typeof CurrentFault.Type>
    readonly setFault: (fault: SandboxFault) => Effect.Effect<void>
    readonly clearFault: Effect.Effect<void>
    readonly readEvents: EventReaders["read"]
  }
>()("@messaging-topup/sandbox/control/ControlHandlers/Controls") {}

/**
 * Aborts the connection of the current request, for a reader that does not read. One per request.
 */
export class ConnectionAbort extends Context.Service<ConnectionAbort, AbortController>()(
  "@messaging-topup/sandbox/control/ControlHandlers/ConnectionAbort"
) {}

const ControlServer = HttpApi.make("messagingTopupControl")
  .add(control, health)
  .middleware(SchemaErrors)

const orUnknown = <A>(messageId: string, message: A | undefined) => {
  if (messageId === "") return noSuchControl
  return (
    message ??
    controlError(
      404,
      `message_id: no message has the id ${messageId}; it was cleared, or newer messages replaced it`,
      unknownMessageId
    )
  )
}

const tooManyReaders = controlError(503, "Too many programs read the events: close one of them")

/** A request with a filter means some entries, and must not delete all of them. */
const clearAll = ({ url }: HttpServerRequest, clear: Effect.Effect<void>) =>
  url.includes("?")
    ? Effect.succeed(controlError(400, "This deletes all entries: remove the query"))
    : clear

const controlHandlers = HttpApiBuilder.group(
  ControlServer,
  "control",
  Effect.fnUntraced(function* (handlers) {
    const controls = yield* Controls

    return handlers.handleAll({
      listMessages: ({ query }) => controls.messages.page(query),
      getMessage: ({ params: { message_id } }) =>
        Effect.map(controls.messages.get(message_id), (message) => orUnknown(message_id, message)),
      clearMessages: ({ request }) => clearAll(request, controls.clearMessages),
      setMessageStatus: ({ params: { message_id }, payload: { status } }) =>
        Effect.map(controls.messages.setStatus(message_id, status), (message) =>
          orUnknown(message_id, message)
        ),
      listRequests: ({ query }) => controls.requests(query),
      clearRequests: ({ request }) => clearAll(request, controls.clearRequests),
      getFault: () => controls.fault,
      setFault: ({ payload }) => Effect.andThen(controls.setFault(payload), controls.fault),
      clearFault: () => controls.clearFault,
      streamEvents: () =>
        Effect.map(ConnectionAbort, (connection) => {
          const events = controls.readEvents(() => connection.abort())
          return events === undefined
            ? tooManyReaders
            : HttpServerResponse.raw(events, {
                contentType: "text/event-stream",
                headers: { "cache-control": "no-store" }
              })
        })
    })
  })
)

const healthHandlers = HttpApiBuilder.group(ControlServer, "health", (handlers) =>
  handlers.handle("getHealth", () => Effect.succeed({ status: "ok" as const }))
)

export const layer = HttpApiBuilder.layer(ControlServer).pipe(
  Layer.provide([controlHandlers, healthHandlers])
)
