/**
 * The schemas of the control endpoints, and of what a program passes to the sandbox. What each field
 * means stands in `Types.ts`.
 */
import { SmsText } from "@messaging-topup/core"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { AnyFault, faultNames } from "./faults/Faults.ts"
import { schemaProblem } from "./http/SchemaErrors.ts"
import type * as Types from "./Types.ts"

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))

const text = Schema.optionalKey(Schema.String)

/** The fault that the next request gets. */
export const CurrentFault = Schema.Struct({ fault: Schema.NullOr(AnyFault) }).annotate({
  identifier: "CurrentFault"
})

const faulted = { fault: Schema.optionalKey(Schema.Literals(faultNames)), forced: text }

export const StoredMessage: Schema.Codec<Types.StoredMessage> = Schema.Struct({
  message_id: Schema.String,
  recipient: Schema.String,
  message: Schema.String,
  sender_id: text,
  webhook_url: text,
  scheduled_time: text,
  ...faulted,
  status: Schema.String,
  date_created: Schema.String,
  preview: SmsText.SmsPreview
}).annotate({ identifier: "StoredMessage" })

const StoredRequest: Schema.Codec<Types.StoredRequest> = Schema.Struct({
  id: Schema.Int,
  time: Schema.String,
  method: Schema.String,
  path: Schema.String,
  body: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  refusal: text,
  ...faulted,
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

const MessageFilter: Schema.Codec<Types.MessageFilter> = Schema.Struct(messageFilter)

export const maxPage = 1000
export const maxWaitSeconds = 60

/** `before` is the `next` of the previous page. */
export const requestQuery = { before: inQuery(1, 999_999_999), limit: inQuery(1, maxPage) }

/** If no message matches yet, `wait_seconds` waits for the next one, at most this long. */
export const messageQuery = {
  ...messageFilter,
  ...requestQuery,
  wait_seconds: inQuery(0, maxWaitSeconds)
}

export const changesQuery = { after: inQuery(0, 999_999_999) }

/** A page, newest first. `next` is absent on the last one. */
export const MessagePage = Schema.Struct({
  messages: Schema.Array(StoredMessage),
  next: text,
  kept: Schema.Int.annotate({ description: "All messages that are kept, whatever the filter" }),
  accepted: Schema.Int.annotate({
    description: "All messages that were accepted, whatever the filter"
  })
}).annotate({ identifier: "MessagePage" })

/** A page, newest first. */
export const RequestPage = Schema.Struct({
  requests: Schema.Array(StoredRequest),
  next: text,
  kept: Schema.Int,
  received: Schema.Int
}).annotate({ identifier: "RequestPage" })

/** A field that is `undefined` counts as absent. */
type Given<A> = { readonly [Name in keyof A]: NonNullable<A[Name]> }

const StartOptions: Schema.Codec<Given<Types.StartOptions>> = Schema.Struct({
  port: Schema.optionalKey(whole(0, 65_535)),
  host: Schema.optionalKey(Schema.NonEmptyString),
  token: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII characters" })
    )
  ),
  maxMessages: count,
  maxRequests: count,
  webhookBody: text
} satisfies Readonly<Record<keyof Types.StartOptions, unknown>>)

/** A program passed something invalid. */
class InvalidInput extends Data.TaggedError("InvalidInput")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

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
  options: checked(StartOptions)
}
