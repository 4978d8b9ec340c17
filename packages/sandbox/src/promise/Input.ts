/**
 * Checks the inputs of the promise API, because a script without types can pass anything.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ActiveFault } from "../record/Model.ts"
import { MessageFilter } from "../record/Pages.ts"
import { schemaProblem } from "../http/SchemaProblem.ts"

class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))

const StartSandboxOptions = Schema.Struct({
  port: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65535 }))),
  host: Schema.optionalKey(Schema.NonEmptyString),
  token: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[\x21-\x7e]+$/, { expected: "visible ASCII characters" })
    )
  ),
  maxMessages: count,
  maxRequests: count
})

/** A field that is `undefined` counts as absent. */
const withoutUndefined = (given: unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given

/** Rejects unknown fields: a misspelt field would have no effect. */
const checked = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return (given: unknown) =>
    Effect.mapError(
      decode(withoutUndefined(given)),
      ({ issue }) => new InvalidInput({ problem: schemaProblem(issue) })
    )
}

export const options = checked(StartSandboxOptions)
export const filter = checked(MessageFilter)
export const fault = checked(ActiveFault)
export const status = checked(
  Schema.Struct({ messageId: Schema.String, status: Schema.NonEmptyString })
)
