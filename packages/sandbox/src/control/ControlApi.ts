/**
 * The endpoints with which a test, a script or the inbox looks into a running sandbox and changes what
 * it does next.
 *
 * @since 0.1.0
 */
import { ErrorBody } from "@messaging-topup/core"
import * as Schema from "effect/Schema"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { FaultRequest, StoredMessage, StoredRequest } from "./Model.ts"

const limit = Schema.optionalKey(
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 1000 }))
)

const noContent = Schema.Void.annotate({ httpApiStatus: 204 })
const notFound = ErrorBody.annotate({ httpApiStatus: 404 })

/** Newest first. `next` is the `before` of the next page; absent on the last one. */
const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next: Schema.optionalKey(Schema.String),
  kept: Schema.Int.annotate({ description: "Messages that are kept, whatever the filter" }),
  accepted: Schema.Int.annotate({
    description: "Messages accepted since the start or the last reset"
  })
})

const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next: Schema.optionalKey(Schema.String),
  kept: Schema.Int,
  received: Schema.Int.annotate({
    description: "Requests received since the start or the last reset"
  })
})

const CurrentFault = Schema.Struct({
  fault: Schema.NullOr(FaultRequest).annotate({ description: "null where there is none" })
})

export const control = HttpApiGroup.make("control").add(
  HttpApiEndpoint.get("listMessages", "/_sandbox/messages", {
    query: {
      /** Contains, ignoring case. */
      recipient: Schema.optionalKey(Schema.String),
      text: Schema.optionalKey(Schema.String),
      /** ISO 8601; from this time on, and before this time. */
      since: Schema.optionalKey(Schema.String),
      until: Schema.optionalKey(Schema.String),
      before: Schema.optionalKey(Schema.String),
      limit
    },
    success: MessagePage
  }),
  HttpApiEndpoint.get("getMessage", "/_sandbox/messages/:message_id", {
    params: { message_id: Schema.String },
    success: StoredMessage,
    error: notFound
  }),
  HttpApiEndpoint.delete("clearMessages", "/_sandbox/messages", { success: noContent }),
  HttpApiEndpoint.post("setMessageStatus", "/_sandbox/messages/:message_id/status", {
    params: { message_id: Schema.String },
    payload: Schema.Struct({ status: Schema.NonEmptyString }),
    success: StoredMessage,
    error: notFound
  }),
  HttpApiEndpoint.get("listRequests", "/_sandbox/requests", {
    query: { before: Schema.optionalKey(Schema.String), limit },
    success: RequestPage
  }),
  HttpApiEndpoint.get("getFault", "/_sandbox/fault", { success: CurrentFault }),
  HttpApiEndpoint.put("setFault", "/_sandbox/fault", { payload: FaultRequest, success: CurrentFault }),
  HttpApiEndpoint.delete("clearFault", "/_sandbox/fault", { success: noContent })
  // GET /_sandbox/events: text/event-stream; events `message` (StoredMessage: new or changed),
  // `request` (StoredRequest: finished), `fault` (CurrentFault), `cleared` ({}).
)
