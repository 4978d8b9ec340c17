import { describe, expect, it } from "@effect/vitest"
import { sendOutcome, SendSmsError } from "@messaging-topup/core"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import {
  clientFailures,
  contract,
  errorTags,
  type OperationName,
  operationNames
} from "../support/Contract.ts"
import { unions } from "../support/ErrorUnions.ts"
import { runs } from "../support/Runs.ts"

type AnyError = (typeof unions)[OperationName]["Type"]

const isMinusZero = (value: unknown) => Object.is(value, -0)

/** Errors of the operation, with every class at least once. */
const errorsOf = (name: OperationName): Effect.Effect<ReadonlyArray<AnyError>> =>
  Arbitrary.sampleEffect(Arbitrary.schema(unions[name]), { count: runs(2_000), seed: name }).pipe(
    Effect.orDie,
    // JSON has one zero.
    Effect.map((errors) => errors.filter((error) => !Object.values(error).some(isMinusZero))),
    Effect.tap((errors) => {
      const expected = [
        ...clientFailures,
        ...contract[name].errors.map((status) => errorTags[status])
      ]
      return Effect.sync(() =>
        expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(expected))
      )
    })
  )

const outcomeOf = (error: unknown) =>
  Schema.is(SendSmsError)(error) ? sendOutcome(error) : undefined

/** Everything that a program can read of an error. */
const propertiesOf = (error: AnyError) => ({
  className: error.constructor,
  fields: { ...error },
  hidden: ["error", "success", "body"].map((key) => Reflect.get(error, key)),
  message: error.message,
  outcome: outcomeOf(error)
})

const expectSame = (after: ReadonlyArray<unknown>, before: ReadonlyArray<AnyError>) => {
  expect(after).toHaveLength(before.length)
  for (const [index, error] of before.entries()) {
    const other = after[index]
    expect(other).toBeInstanceOf(error.constructor)
    expect(propertiesOf(other as AnyError)).toEqual(propertiesOf(error))
  }
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe.for(operationNames)("every error of %s stays the same through", (name) => {
  const union: Schema.Codec<AnyError, unknown> = unions[name]

  it.effect("its schema and JSON, also with the errors of the schema in another order", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      for (const schema of [union, Schema.Union(unions[name].members.toReversed())]) {
        const decode = Schema.decodeUnknownSync(schema)
        const encode = Schema.encodeUnknownSync(schema)
        expectSame(
          errors.map((error) => decode(throughJson(encode(error)))),
          errors
        )
      }
    })
  )

  it.effect("JSON without its schema, which does not show what the service said,", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const decode = Schema.decodeUnknownSync(union)
      for (const error of errors) {
        const decoded = decode(throughJson(error))
        expect(decoded).toBeInstanceOf(error.constructor)
        expect({ ...decoded }).toEqual({ ...error })
        expect([decoded.message, outcomeOf(decoded)]).toEqual([error.message, outcomeOf(error)])
      }
    })
  )

  it.effect("Schema.Exit, which workflows and clusters write", () =>
    Effect.gen(function* () {
      const errors = yield* errorsOf(name)
      const codec = Schema.toCodecJson(Schema.Exit(Schema.Void, union, Schema.Defect()))
      const decode = Schema.decodeUnknownSync(codec)
      const encode = Schema.encodeUnknownSync(codec)
      const after = errors.map((error) => {
        const exit = decode(throughJson(encode(Exit.fail(error))))
        return Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit
      })
      expectSame(after, errors)
    })
  )
})
