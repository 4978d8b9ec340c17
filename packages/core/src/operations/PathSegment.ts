/**
 * A value that is one segment of a path.
 */
import * as Schema from "effect/Schema"

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
