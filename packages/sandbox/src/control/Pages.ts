/**
 * Lists of what the sandbox keeps, page by page, and what they are filtered by.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { StoredMessage, StoredRequest } from "./Model.ts"

/** A query has text only. */
const numberInQuery = (description: string, number: Schema.Codec<number>) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).pipe(
      Schema.decodeTo(number, SchemaTransformation.numberFromString)
    )
  )

const limit = numberInQuery(
  "Entries of a page, 1 to 1000; default: 100",
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
)

const before = numberInQuery("`next` of the page before this one", Schema.Int)

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/

const time = (description: string) =>
  Schema.optionalKey(
    Schema.String.annotate({ description }).check(
      Schema.makeFilter((text: string) => iso.test(text) && !Number.isNaN(Date.parse(text)), {
        expected:
          "a time as 2026-01-31 or 2026-01-31T12:00:00Z (in a query, a plus is written as %2B)"
      })
    )
  )

const messageFilter = {
  recipient: Schema.optionalKey(
    Schema.String.annotate({
      description: "Part of the recipient, in any case; a space stands for a plus, too"
    })
  ),
  text: Schema.optionalKey(
    Schema.String.annotate({ description: "Part of the text, in any case" })
  ),
  since: time("Accepted at this time or later, ISO 8601"),
  until: time("Accepted before this time, ISO 8601")
}

/**
 * Which messages: all that match every filter that is given.
 *
 * @since 0.1.0
 */
export const MessageFilter = Schema.Struct(messageFilter)

/**
 * Which messages: all that match every filter that is given.
 *
 * @since 0.1.0
 */
export interface MessageFilter extends Schema.Schema.Type<typeof MessageFilter> {}

/** @since 0.1.0 */
export const messageQuery = { ...messageFilter, before, limit }

/** @since 0.1.0 */
export const requestQuery = { before, limit }

const next = Schema.optionalKey(
  Schema.String.annotate({ description: "`before` of the next page; absent on the last one" })
)

/**
 * Newest first. A page of large entries holds fewer than asked for.
 *
 * @since 0.1.0
 */
export const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next,
  kept: Schema.Int.annotate({ description: "Messages that are kept, whatever the filter" }),
  accepted: Schema.Int.annotate({
    description: "Messages accepted since the start or the last reset"
  })
}).annotate({ identifier: "MessagePage" })

/**
 * A page of messages, newest first.
 *
 * @since 0.1.0
 */
export interface MessagePage extends Schema.Schema.Type<typeof MessagePage> {}

/**
 * Newest first. A page of large entries holds fewer than asked for.
 *
 * @since 0.1.0
 */
export const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next,
  kept: Schema.Int.annotate({ description: "Requests that are kept" }),
  received: Schema.Int.annotate({
    description: "Requests received since the start or the last reset"
  })
}).annotate({ identifier: "RequestPage" })

/**
 * A page of requests, newest first.
 *
 * @since 0.1.0
 */
export interface RequestPage extends Schema.Schema.Type<typeof RequestPage> {}
