/**
 * The control endpoints.
 */
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { controlError, noSuchControl, unknownMessageId } from "../internal/ErrorResponses.ts"
import { Misfits } from "../internal/Misfits.ts"
import { control, health } from "./ControlApi.ts"
import { Controls } from "./Controls.ts"
import { Cut } from "./Cut.ts"

const ControlServer = HttpApi.make("messagingTopupControl").add(control, health).middleware(Misfits)

const orUnknown = <A>(messageId: string, message: A | undefined) => {
  if (messageId === "") return noSuchControl
  return (
    message ??
    controlError(
      404,
      `message_id: no message has the id ${messageId}; it was cleared, or newer ones took its place`,
      unknownMessageId
    )
  )
}

const tooManyReaders = controlError(503, "Too many programs read the events: close one of them")

/** A filter asks to forget some of them, not all. */
const forgetting = ({ url }: HttpServerRequest, forget: Effect.Effect<void>) =>
  url.includes("?")
    ? Effect.succeed(controlError(400, "It forgets all or none: leave the query out"))
    : forget

const controlHandlers = HttpApiBuilder.group(
  ControlServer,
  "control",
  Effect.fnUntraced(function* (handlers) {
    const controls = yield* Controls

    return handlers.handleAll({
      listMessages: ({ query }) => controls.messages.page(query),
      getMessage: ({ params: { message_id } }) =>
        Effect.map(controls.messages.get(message_id), (message) => orUnknown(message_id, message)),
      clearMessages: ({ request }) => forgetting(request, controls.clearMessages),
      setMessageStatus: ({ params: { message_id }, payload: { status } }) =>
        Effect.map(controls.messages.setStatus(message_id, status), (message) =>
          orUnknown(message_id, message)
        ),
      listRequests: ({ query }) => controls.requests(query),
      clearRequests: ({ request }) => forgetting(request, controls.clearRequests),
      getFault: () => controls.fault,
      setFault: ({ payload }) => Effect.andThen(controls.setFault(payload), controls.fault),
      clearFault: () => controls.clearFault,
      streamEvents: () =>
        Effect.map(Cut, (cut) => {
          const events = controls.readEvents(() => cut.abort())
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
