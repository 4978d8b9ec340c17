/**
 * The handlers of the control endpoints.
 */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { controlError, noSuchControl, unknownMessageId } from "../http/ErrorResponses.ts"
import { SchemaErrors } from "../http/SchemaErrors.ts"
import { control, health } from "./ControlApi.ts"
import { ConnectionAbort, Controls } from "./Controls.ts"

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
