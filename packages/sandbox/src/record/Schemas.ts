/**
 * The schemas of the messages and requests that the sandbox keeps, of their pages and filters. The
 * types of messages, requests and filters are in `Stored.ts`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const fault = Schema.optionalKey(
  Schema.String.annotate({
    description: "The name of the fault or the suffix of the forced outcome that the request got"
  })
)

/** An SMS that the sandbox accepted. */
export const StoredMessage = Schema.Struct({
  message_id: Schema.String.annotate({ description: "Assigned by the sandbox" }),
  recipient: Schema.String.annotate({ description: "As it was sent" }),
  message: Schema.String.annotate({ description: "Text, as it was sent" }),
  sender_id: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; absent if none was sent" })
  ),
  webhook_url: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; the sandbox never calls it" })
  ),
  scheduled_time: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; the sandbox does not wait for it" })
  ),
  fault,
  status: Schema.String.annotate({
    description: "The status that the last read returned, or that was set since"
  }),
  date_created: Schema.String.annotate({ description: "Time of acceptance, ISO 8601 in UTC" }),
  preview: SmsText.SmsPreview.annotate({ description: "Encoding and segments" })
}).annotate({ identifier: "StoredMessage" })

/** One request to the five endpoints. */
export const StoredRequest = Schema.Struct({
  id: Schema.Int.annotate({ description: "1 for the first request; no number is used twice" }),
  time: Schema.String.annotate({ description: "Time of arrival, ISO 8601 in UTC" }),
  method: Schema.String,
  path: Schema.String.annotate({
    description:
      "Path and query, as they were on the wire; an access token of 16 characters or more is removed"
  }),
  body: Schema.String.annotate({
    description: "The first 64 KiB, as UTF-8; an access token of 16 characters or more is removed"
  }),
  status: Schema.optionalKey(
    Schema.Int.annotate({ description: "HTTP status; absent if no response was sent" })
  ),
  refusal: Schema.optionalKey(
    Schema.String.annotate({
      description: "Why the request was refused, at most 500 characters; absent if it was not"
    })
  ),
  fault,
  message_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The id of the SMS, if one was accepted" })
  ),
  disconnected: Schema.Boolean.annotate({
    description: "Whether the client left before the response was complete"
  }),
  milliseconds: Schema.optionalKey(
    Schema.Int.annotate({ description: "Duration; absent while the request is in flight" })
  )
}).annotate({ identifier: "StoredRequest" })

/** A query contains only text. */
const numberInQuery = (description: string, number: Schema.Codec<number>) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).pipe(
      Schema.decodeTo(number, SchemaTransformation.numberFromString)
    )
  )

const limit = numberInQuery(
  "Maximum entries per page, 1 to 1000; defaults to 100",
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
)

const before = numberInQuery("`next` of the previous page", Schema.Int)

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const time = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).check(
      Schema.makeFilter((text: string) => iso.test(text) && !Number.isNaN(Date.parse(text)), {
        expected:
          "a time such as 2026-01-31 or 2026-01-31T12:00:00Z (in a query, write a plus as %2B)"
      })
    )
  )

const messageFilter = {
  recipient: Schema.optionalKey(
    Schema.String.annotate({
      description: "Text in the recipient, in any case; a space also matches a plus"
    })
  ),
  text: Schema.optionalKey(
    Schema.String.annotate({ description: "Text in the message, in any case" })
  ),
  since: time("Accepted at this time or later, ISO 8601"),
  until: time("Accepted before this time, ISO 8601")
}

/** Selects the messages that match all of these filters. */
export const MessageFilter = Schema.Struct(messageFilter)

/** The query of `listMessages`. */
export const messageQuery = {
  ...messageFilter,
  before,
  limit,
  wait_seconds: numberInQuery(
    "If no message matches yet, waits for the next one, at most this long; 0 to 60, defaults to 0",
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
  )
}

/** The query of `listRequests`. */
export const requestQuery = { before, limit }

const next = Schema.optionalKey(
  Schema.String.annotate({ description: "`before` of the next page; absent on the last one" })
)

/** A page of messages, newest first. If entries are large, the page holds fewer than `limit`. */
export const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next,
  kept: Schema.Int.annotate({ description: "Number of kept messages, regardless of the filter" }),
  accepted: Schema.Int.annotate({
    description: "Number of messages accepted since the start or the last reset"
  })
}).annotate({ identifier: "MessagePage" })

/** A page of requests, newest first. If entries are large, the page holds fewer than `limit`. */
export const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next,
  kept: Schema.Int.annotate({ description: "Number of kept requests" }),
  received: Schema.Int.annotate({
    description: "Number of requests received since the start or the last reset"
  })
}).annotate({ identifier: "RequestPage" })
