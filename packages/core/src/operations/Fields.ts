/**
 * Schemas that several operations share.
 */
import * as Schema from "effect/Schema"

/**
 * A text that may be missing, because the description does not say that the service always sends
 * it.
 */
export const optionalText = Schema.optionalKey(Schema.String)

/** Source: service description §4.2, §4.3 */
export const envelope = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    success: Schema.optionalKey(Schema.Boolean),
    status: Schema.optionalKey(Schema.Int),
    message: optionalText,
    data: Schema.Array(item)
  })

const sendable = (value: string): string | undefined => {
  if (value === "") return "Expected a value that is not empty"
  // Percent-encoding does not change a dot segment, which would address another endpoint.
  if (value === "." || value === "..") return "Expected a value other than a dot segment"
  return value.isWellFormed() ? undefined : "Expected text without lone surrogates"
}

/** Accepts every string that arrives unchanged after percent-encoding. */
export const PathSegment = Schema.String.check(
  Schema.makeFilter(sendable, {
    expected: "a value that is not empty and not a dot segment",
    toJsonSchema: () => [{ minLength: 1 }, true]
  })
)
