/**
 * A value that stands alone between two slashes of a path.
 */
import * as Schema from "effect/Schema"

const sendable = (value: string): string | undefined => {
  if (value === "") return "Expected a value that is not empty"
  // Dot segments survive percent-encoding as they are and would address another endpoint.
  if (value === "." || value === "..") return "Expected a value other than a dot segment"
  return value.isWellFormed() ? undefined : "Expected text without lone surrogates"
}

/**
 * Every other string is percent-encoded and arrives intact.
 */
export const PathSegment = Schema.String.check(
  Schema.makeFilter(sendable, {
    expected: "a value that is not empty and not a dot segment",
    toJsonSchema: () => [{ minLength: 1 }, true]
  })
)
