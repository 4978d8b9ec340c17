/**
 * The handlers of the control endpoints.
 */
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
import type { RequestLog } from "../record/RequestLog.ts"
import type { State } from "../record/State.ts"
import type { UnknownMessage } from "../record/UnknownMessage.ts"
import { control, health } from "./ControlApi.ts"
import type { EventReaders } from "./EventReaders.ts"

/** What the control endpoints read and change. */
export interface Controls {
  readonly messages: Pick<State, "page" | "get" | "setStatus">
  readonly clearMessages: Effect.Effect<void>
  readonly requests: Pick<RequestLog, "page">
  readonly clearRequests: Effect.Effect<void>
  readonly fault: Effect.Effect<typeof CurrentFault.Type>
  readonly setFault: (fault: SandboxFault) => Effect.Effect<void>
  readonly clearFault: Effect.Effect<void>
  readonly reset: Effect.Effect<void>
  /** Absent if a caller must not read it. */
  readonly token: { readonly token?: string }
  readonly events: Pick<EventReaders, "read">
}

const ControlServer = HttpApi.make("messagingTopupControl")
  .add(control, health)
  .middleware(SchemaErrors)

const orUnknown = <A>(message: Effect.Effect<A, UnknownMessage>) =>
  Effect.catchTag(message, "UnknownMessage", ({ message: detail, message_id }) =>
    Effect.succeed(
      message_id === ""
        ? noSuchControl
        : controlError(404, `message_id: ${detail}`, unknownMessageId)
    )
  )

const tooManyReaders = controlError(503, "Too many programs read the events: close one of them")

/** A request with a filter means some entries, and must not delete all of them. */
const clearAll = ({ url }: HttpServerRequest, clear: Effect.Effect<void>) =>
  url.includes("?")
    ? Effect.succeed(controlError(400, "This deletes all entries: remove the query"))
    : clear

const controlHandlers = (controls: Controls) =>
  HttpApiBuilder.group(ControlServer, "control", (handlers) =>
    handlers.handleAll({
      listMessages: ({ query }) => controls.messages.page(query),
      getMessage: ({ params: { message_id } }) => orUnknown(controls.messages.get(message_id)),
      clearMessages: ({ request }) => clearAll(request, controls.clearMessages),
      setMessageStatus: ({ params: { message_id }, payload: { status } }) =>
        orUnknown(controls.messages.setStatus(message_id, status)),
      listRequests: ({ query }) => controls.requests.page(query),
      clearRequests: ({ request }) => clearAll(request, controls.clearRequests),
      getFault: () => controls.fault,
      setFault: ({ payload }) => Effect.andThen(controls.setFault(payload), controls.fault),
      clearFault: () => controls.clearFault,
      reset: ({ request }) => clearAll(request, controls.reset),
      getToken: () => Effect.succeed(controls.token),
      streamEvents: () =>
        Effect.sync(() => {
          const events = controls.events.read()
          return events === undefined
            ? tooManyReaders
            : HttpServerResponse.raw(events, {
                contentType: "text/event-stream",
                headers: { "cache-control": "no-store" }
              })
        })
    })
  )

const healthHandlers = HttpApiBuilder.group(ControlServer, "health", (handlers) =>
  handlers.handle("getHealth", () => Effect.succeed({ status: "ok" as const }))
)

export const layer = (controls: Controls) =>
  HttpApiBuilder.layer(ControlServer).pipe(
    Layer.provide([controlHandlers(controls), healthHandlers])
  )
