/**
 * The schemas of the control endpoints.
 *
 * @since 0.1.0
 */
import { SmsText } from "@messaging-topup/core"
import * as Schema from "effect/Schema"

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and the fields
 * that the sandbox adds.
 *
 * @since 0.1.0
 */
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
  status: Schema.String.annotate({
    description: "The status that the last read returned, or that was set since"
  }),
  date_created: Schema.String.annotate({ description: "Time of acceptance, ISO 8601 in UTC" }),
  preview: SmsText.SmsPreview.annotate({ description: "Encoding and segments" })
}).annotate({ identifier: "StoredMessage" })

/**
 * An SMS that the sandbox accepted.
 *
 * @since 0.1.0
 */
export interface StoredMessage extends Schema.Schema.Type<typeof StoredMessage> {}

/**
 * One request to the five endpoints. Requests to the control endpoints are not recorded.
 *
 * @since 0.1.0
 */
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
  fault: Schema.optionalKey(
    Schema.String.annotate({
      description: "The name of the fault or the suffix of the forced outcome that the request got"
    })
  ),
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

/**
 * One request to the five endpoints.
 *
 * @since 0.1.0
 */
export interface StoredRequest extends Schema.Schema.Type<typeof StoredRequest> {}

const times = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThan(0)).annotate({
    description: "How many requests get the fault; if absent, all until it is cleared"
  })
)

const plain = <const Name extends string>(name: Name, description: string) =>
  Schema.Struct({ fault: Schema.tag(name), times }).annotate({ description })

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const headerValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a value that a header allows" })
)

/** These headers define where a response ends, so that a wrong value breaks it. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

const headers = Schema.Record(Schema.String, headerValue).check(
  Schema.makeFilter((record) => Object.keys(record).every((name) => headerName.test(name)), {
    expected: "valid header names"
  }),
  Schema.makeFilter((record) => {
    const name = Object.keys(record).find((given) => framing.has(given.toLowerCase()))
    return name === undefined || { path: [name], issue: "The sandbox sets this header: remove it" }
  })
)

/** HTTP allows no body with these statuses. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

const faults = [
  Schema.Struct({
    fault: Schema.tag("Response"),
    status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
    body: Schema.optionalKey(Schema.String),
    headers: Schema.optionalKey(headers),
    times
  })
    .check(
      Schema.makeFilter(
        ({ body = "", status }) =>
          body === "" ||
          !withoutBody.has(status) || {
            path: ["body"],
            issue: `A response with status ${status} has no body: remove it`
          }
      )
    )
    .annotate({ description: "Sends this response; accepts nothing" }),
  Schema.Struct({
    fault: Schema.tag("Redirect"),
    status: Schema.Int.check(Schema.isBetween({ minimum: 300, maximum: 399 })),
    location: headerValue,
    times
  }).annotate({ description: "Redirects; accepts nothing" }),
  plain("ResetBeforeAcceptance", "Accepts nothing and resets the connection"),
  plain("ResetAfterAcceptance", "Accepts, then resets the connection before any response"),
  Schema.Struct({
    fault: Schema.tag("NoResponse"),
    accept: Schema.optionalKey(Schema.Boolean),
    times
  }).annotate({ description: "Never responds; accepts first if `accept` is true" }),
  plain("HeadersThenSilence", "Accepts, sends status and headers, then nothing more"),
  plain("EndlessBody", "Accepts, then sends a body that never ends"),
  plain("WrongContentType", "Accepts and sends the correct body as text/html"),
  plain("TruncatedJson", "Accepts and sends the first half of the correct body"),
  Schema.Struct({
    fault: Schema.tag("OversizedBody"),
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 * 1024 * 1024 })),
    times
  }).annotate({
    description: "Accepts and sends the correct body, padded to this many bytes, at most 100 MiB"
  }),
  plain("BodyCutOff", "Accepts, sends half of the announced body, then resets the connection")
] as const

/**
 * A fault for the next requests. `ConnectionRefused` is not included, because no request could
 * clear it over HTTP.
 *
 * @since 0.1.0
 */
export const FaultRequest = Schema.Union(faults).annotate({
  identifier: "FaultRequest",
  message: `Expected a JSON object whose field fault is one of ${faults.map(({ fields }) => fields.fault.schema.literal).join(", ")}. ConnectionRefused is not available over HTTP, because no request could clear it: set it in the program that runs the sandbox`
})

/**
 * A fault for the next requests.
 *
 * @since 0.1.0
 */
export type FaultRequest = typeof FaultRequest.Type

/**
 * A fault that is set. `times` is how many requests still get it. Only the program that runs the
 * sandbox can set `ConnectionRefused`.
 *
 * @since 0.1.0
 */
export const ActiveFault = Schema.Union([
  ...faults,
  Schema.Struct({ fault: Schema.tag("ConnectionRefused") }).annotate({
    description: "Refuses connections"
  })
]).annotate({ identifier: "ActiveFault" })

/**
 * A fault that is set.
 *
 * @since 0.1.0
 */
export type ActiveFault = typeof ActiveFault.Type

/**
 * The fault that the next request gets.
 *
 * @since 0.1.0
 */
export const CurrentFault = Schema.Struct({
  fault: Schema.NullOr(ActiveFault).annotate({ description: "null if no fault is set" })
}).annotate({ identifier: "CurrentFault" })

/**
 * The fault that the next request gets.
 *
 * @since 0.1.0
 */
export interface CurrentFault extends Schema.Schema.Type<typeof CurrentFault> {}
