/**
 * The body that every documented error response carries.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The error body of the service.
 *
 * `error.status` is kept as it came: the description shows a placeholder in it, so only the HTTP
 * status of the response decides which error it is.
 *
 * Source: service description §2.7
 * @since 0.1.0
 */
export const ErrorBody = Schema.Struct({
  success: Schema.Literal(false).annotate({ description: "Always false in an error body" }),
  error: Schema.Struct({
    status: Schema.Int.annotate({ description: "HTTP status code; may be a placeholder" }),
    title: Schema.String.annotate({ description: "Short title of the error" }),
    detail: Schema.String.annotate({ description: "Explanation" })
  }).annotate({ description: "Error detail" })
}).annotate({ identifier: "ErrorBody" })

/**
 * A value of the schema {@link ErrorBody}.
 *
 * @since 0.1.0
 */
export interface ErrorBody extends Schema.Schema.Type<typeof ErrorBody> {}
