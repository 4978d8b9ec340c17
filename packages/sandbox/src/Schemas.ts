/**
 * The schemas of the control endpoints, and of what a program passes to the sandbox. What each field
 * means stands in `Types.ts`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { InvalidInput } from "./Errors.ts"
import { schemaProblem } from "./http/SchemaErrors.ts"
import type { Fault, MessageFilter as Filter, SandboxFault } from "./Types.ts"

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))

const text = Schema.optionalKey(Schema.String)

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

const response = Schema.Struct({
  fault: Schema.tag("Response"),
  status: whole(200, 599),
  body: text,
  headers: Schema.optionalKey(headers),
  times: count
}).check(
  Schema.makeFilter(
    ({ body = "", status }) =>
      body === "" ||
      !withoutBody.has(status) || {
        path: ["body"],
        issue: `A response with status ${status} has no body: remove it`
      }
  )
)

const kind = <const Name extends Fault["fault"], const Fields extends Schema.Struct.Fields>(
  name: Name,
  fields: Fields
) => Schema.Struct({ fault: Schema.tag(name), ...fields, times: count })

const kinds = [
  response,
  kind("ResetBeforeAcceptance", {}),
  kind("ResetAfterAcceptance", {}),
  kind("NoResponse", { accept: Schema.optionalKey(Schema.Boolean) }),
  kind("HeadersThenSilence", {}),
  kind("TruncatedJson", {}),
  kind("BodyCutOff", {}),
  kind("Slow", {
    seconds: Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: 3600, exclusiveMinimum: true })
    )
  })
] as const

const names = kinds.map(({ fields }) => fields.fault.schema.literal)

/** A fault to set, or that is set: then `times` is how many requests still get it. */
export const AnyFault: Schema.Codec<SandboxFault> = Schema.Union(kinds).annotate({
  identifier: "Fault",
  message: `Expected a JSON object whose field fault is one of ${names.join(", ")}`
})

/** The fault that the next request gets. */
export const CurrentFault = Schema.Struct({ fault: Schema.NullOr(AnyFault) }).annotate({
  identifier: "CurrentFault"
})

const recorded = { fault: Schema.optionalKey(Schema.Literals(names)), forced: text }

export const StoredMessage = Schema.Struct({
  message_id: Schema.String,
  recipient: Schema.String,
  message: Schema.String,
  sender_id: text,
  webhook_url: text,
  scheduled_time: text,
  ...recorded,
  status: Schema.String,
  date_created: Schema.String,
  preview: SmsText.SmsPreview
}).annotate({ identifier: "StoredMessage" })

const StoredRequest = Schema.Struct({
  id: Schema.Int,
  time: Schema.String,
  method: Schema.String,
  path: Schema.String,
  body: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  refusal: text,
  ...recorded,
  message_id: text,
  disconnected: Schema.Boolean,
  milliseconds: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "StoredRequest" })

/** A query contains only text. */
const inQuery = (minimum: number, maximum: number) =>
  Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^\d{1,9}$/, { expected: "a whole number" })).pipe(
      Schema.decodeTo(whole(minimum, maximum), SchemaTransformation.numberFromString)
    )
  )

const messageFilter = { recipient: text, text }

const MessageFilter: Schema.Codec<Filter> = Schema.Struct(messageFilter)

/** `before` is the `next` of the previous page. */
export const requestQuery = { before: inQuery(1, 999_999_999), limit: inQuery(1, 1000) }

/** If no message matches yet, `wait_seconds` waits for the next one, at most this long. */
export const messageQuery = { ...messageFilter, ...requestQuery, wait_seconds: inQuery(0, 60) }

export const changesQuery = { after: inQuery(0, 999_999_999) }

/** A page, newest first. `next` is absent on the last one. `kept` does not depend on the filter. */
export const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next: text,
  kept: Schema.Int,
  accepted: Schema.Int
}).annotate({ identifier: "MessagePage" })

/** A page, newest first. */
export const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next: text,
  kept: Schema.Int,
  received: Schema.Int
}).annotate({ identifier: "RequestPage" })

/** A field that is `undefined` counts as absent. */
const withoutUndefined = (given: unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given

/**
 * Dies with `InvalidInput`, because a program cannot handle its own mistake; `startSandbox` rejects
 * with it. An unknown field is a mistake too: a misspelled one would have no effect.
 */
const checked = <A>(schema: Schema.Codec<A>) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return (given: unknown) =>
    decode(withoutUndefined(given)).pipe(
      Effect.mapError(({ issue }) => new InvalidInput({ problem: schemaProblem(issue) })),
      Effect.orDie
    )
}

/** A script without types can pass anything. */
export const check = {
  fault: checked(AnyFault),
  filter: checked(MessageFilter),
  status: checked(Schema.Struct({ messageId: Schema.String, status: Schema.NonEmptyString })),
  options: checked(
    Schema.Struct({
      port: Schema.optionalKey(whole(0, 65_535)),
      host: Schema.optionalKey(Schema.NonEmptyString),
      token: Schema.optionalKey(
        Schema.String.check(
          Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII characters" })
        )
      ),
      maxMessages: count,
      maxRequests: count
    })
  )
}
