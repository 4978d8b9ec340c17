/**
 * The envelope of the two status lists.
 */
import * as Schema from "effect/Schema"

/**
 * Source: service description §4.2, §4.3
 */
export const envelope = <Item extends Schema.Constraint>(item: Item) =>
  Schema.Struct({
    success: Schema.Boolean.annotate({ description: "Whether the request succeeded" }),
    status: Schema.Int.annotate({ description: "HTTP status code of the request" }),
    message: Schema.String.annotate({ description: "Text describing the result" }),
    data: Schema.Array(item).annotate({ description: "The status records" })
  })
