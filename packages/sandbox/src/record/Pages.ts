/**
 * Pages of the messages and requests that the sandbox keeps, and their filters.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { StoredMessage, StoredRequest } from "./Model.ts"

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

/**
 * Selects the messages that match all of these filters.
 *
 * @since 0.1.0
 */
export const MessageFilter = Schema.Struct(messageFilter)

/**
 * Selects the messages that match all of these filters.
 *
 * @since 0.1.0
 */
export interface MessageFilter extends Schema.Schema.Type<typeof MessageFilter> {}

/**
 * The query of `listMessages`.
 *
 * @since 0.1.0
 */
export const messageQuery = { ...messageFilter, before, limit }

/**
 * The query of `listRequests`.
 *
 * @since 0.1.0
 */
export const requestQuery = { before, limit }

const next = Schema.optionalKey(
  Schema.String.annotate({ description: "`before` of the next page; absent on the last one" })
)

/**
 * A page of messages, newest first. If entries are large, the page holds fewer than `limit`.
 *
 * @since 0.1.0
 */
export const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next,
  kept: Schema.Int.annotate({ description: "Number of kept messages, regardless of the filter" }),
  accepted: Schema.Int.annotate({
    description: "Number of messages accepted since the start or the last reset"
  })
}).annotate({ identifier: "MessagePage" })

/**
 * A page of messages, newest first.
 *
 * @since 0.1.0
 */
export interface MessagePage extends Schema.Schema.Type<typeof MessagePage> {}

/**
 * A page of requests, newest first. If entries are large, the page holds fewer than `limit`.
 *
 * @since 0.1.0
 */
export const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next,
  kept: Schema.Int.annotate({ description: "Number of kept requests" }),
  received: Schema.Int.annotate({
    description: "Number of requests received since the start or the last reset"
  })
}).annotate({ identifier: "RequestPage" })

/**
 * A page of requests, newest first.
 *
 * @since 0.1.0
 */
export interface RequestPage extends Schema.Schema.Type<typeof RequestPage> {}
