/**
 * What a client of the control endpoints reads and writes.
 *
 * @since 0.1.0
 */
import { SmsText } from "@messaging-topup/core"
import * as Schema from "effect/Schema"

/**
 * An SMS that the sandbox accepted: the fields of the request as they were sent, and what the sandbox
 * made of them.
 *
 * @since 0.1.0
 */
export const StoredMessage = Schema.Struct({
  message_id: Schema.String.annotate({ description: "Given by the sandbox" }),
  recipient: Schema.String.annotate({ description: "As it was sent" }),
  message: Schema.String.annotate({ description: "Text, as it was sent" }),
  sender_id: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; absent where none was" })
  ),
  webhook_url: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; the sandbox never calls it" })
  ),
  scheduled_time: Schema.optionalKey(
    Schema.String.annotate({ description: "As it was sent; the sandbox does not wait for it" })
  ),
  status: Schema.String.annotate({
    description: "What the last read of the status returned, or what was set since"
  }),
  date_created: Schema.String.annotate({ description: "When it was accepted, ISO 8601 in UTC" }),
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
  id: Schema.Int.annotate({ description: "1 for the first one; none is given twice" }),
  time: Schema.String.annotate({ description: "When it arrived, ISO 8601 in UTC" }),
  method: Schema.String,
  path: Schema.String.annotate({
    description:
      "Path and query, as they were on the wire; an access token of 16 characters or more is taken out"
  }),
  body: Schema.String.annotate({
    description:
      "As UTF-8; at most its first 64 KiB; an access token of 16 characters or more is taken out"
  }),
  status: Schema.optionalKey(
    Schema.Int.annotate({ description: "HTTP status; absent where no response was sent" })
  ),
  refusal: Schema.optionalKey(
    Schema.String.annotate({
      description: "Why it was refused; at most 500 characters; absent where it was not"
    })
  ),
  fault: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "What it got on purpose: the name of the fault, or the suffix of the forced outcome"
    })
  ),
  message_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The SMS that was accepted" })
  ),
  disconnected: Schema.Boolean.annotate({
    description: "Whether the client left before the response was complete"
  }),
  milliseconds: Schema.optionalKey(
    Schema.Int.annotate({ description: "From its start to its end; absent while it lasts" })
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
    description: "How many requests get it; all until it is cleared where absent"
  })
)

const plain = <const Name extends string>(name: Name, description: string) =>
  Schema.Struct({ fault: Schema.tag(name), times }).annotate({ description })

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const headerValue = Schema.String.check(
  Schema.isPattern(/^[\t\x20-\x7e\x80-\xff]*$/, { expected: "a value that a header can carry" })
)

/** They say where a response ends: another value than the right one breaks it. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

const headers = Schema.Record(Schema.String, headerValue).check(
  Schema.makeFilter((record) => Object.keys(record).every((name) => headerName.test(name)), {
    expected: "names that a header can have"
  }),
  Schema.makeFilter((record) => {
    const name = Object.keys(record).find((given) => framing.has(given.toLowerCase()))
    return name === undefined || { path: [name], issue: "The sandbox sets it itself: leave it out" }
  })
)

/** Statuses that HTTP gives no body. */
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
            issue: `A response with status ${status} has no body: leave it out`
          }
      )
    )
    .annotate({ description: "Responds with this; nothing is accepted" }),
  Schema.Struct({
    fault: Schema.tag("Redirect"),
    status: Schema.Int.check(Schema.isBetween({ minimum: 300, maximum: 399 })),
    location: headerValue,
    times
  }).annotate({ description: "Redirects; nothing is accepted" }),
  plain("ResetBeforeAcceptance", "Accepts nothing and resets the connection"),
  plain("ResetAfterAcceptance", "Accepts, then resets the connection before any response"),
  Schema.Struct({
    fault: Schema.tag("NoResponse"),
    accept: Schema.optionalKey(Schema.Boolean),
    times
  }).annotate({ description: "Is silent; accepts first where `accept` is true" }),
  plain("HeadersThenSilence", "Accepts, sends status and headers, then is silent"),
  plain("EndlessBody", "Accepts, then sends a body without end"),
  plain("WrongContentType", "Accepts and sends the right body as text/html"),
  plain("TruncatedJson", "Accepts and sends the first half of the right body"),
  Schema.Struct({
    fault: Schema.tag("OversizedBody"),
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 * 1024 * 1024 })),
    times
  }).annotate({
    description: "Accepts and sends the right body, padded to this many bytes: at most 100 MiB"
  }),
  plain("BodyCutOff", "Accepts, sends half of the announced body and resets the connection")
] as const

/**
 * A fault for the requests that come from now on. `ConnectionRefused` is missing: nobody could clear it
 * over HTTP.
 *
 * @since 0.1.0
 */
export const FaultRequest = Schema.Union(faults).annotate({
  identifier: "FaultRequest",
  message: `Expected a JSON object whose field fault is one of ${faults.map(({ fields }) => fields.fault.schema.literal).join(", ")}. ConnectionRefused is not offered over HTTP, because nobody could clear it: set it in the program that runs the sandbox`
})

/**
 * A fault for the requests that come from now on.
 *
 * @since 0.1.0
 */
export type FaultRequest = typeof FaultRequest.Type

/**
 * A fault that is set; `times` is how many requests will still get it. `ConnectionRefused` can only be
 * set by the program that runs the sandbox.
 *
 * @since 0.1.0
 */
export const ActiveFault = Schema.Union([
  ...faults,
  Schema.Struct({ fault: Schema.tag("ConnectionRefused") }).annotate({
    description: "Takes no connection"
  })
]).annotate({ identifier: "ActiveFault" })

/**
 * A fault that is set.
 *
 * @since 0.1.0
 */
export type ActiveFault = typeof ActiveFault.Type

/**
 * The fault of the next request.
 *
 * @since 0.1.0
 */
export const CurrentFault = Schema.Struct({
  fault: Schema.NullOr(ActiveFault).annotate({ description: "null where there is none" })
}).annotate({ identifier: "CurrentFault" })

/**
 * The fault of the next request.
 *
 * @since 0.1.0
 */
export interface CurrentFault extends Schema.Schema.Type<typeof CurrentFault> {}
