/**
 * Checks what a program passes to the sandbox. A script without types can pass anything.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { schemaProblem } from "../http/SchemaErrors.ts"

class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** A field that is `undefined` counts as absent. */
const withoutUndefined = (given: unknown): unknown =>
  Predicate.isObject(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given

/**
 * Dies with `InvalidInput`, because a program cannot handle its own mistake; `startSandbox` rejects
 * with it. An unknown field is a mistake too: a misspelt one would have no effect.
 */
export const checked = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return (given: unknown) =>
    decode(withoutUndefined(given)).pipe(
      Effect.mapError(({ issue }) => new InvalidInput({ problem: schemaProblem(issue) })),
      Effect.orDie
    )
}
