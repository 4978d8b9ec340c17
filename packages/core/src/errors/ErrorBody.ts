/**
 * The body that every documented error response carries.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The service's explanation of an error. A field is absent if the service did not send it.
 *
 * Source: service description §2.7
 * @since 0.1.0
 */
export interface ErrorDetail {
  /**
   * HTTP status code. The description shows only a placeholder here, so rely on `status` of the
   * error.
   */
  readonly status?: number
  /** Short title of the error. */
  readonly title?: string
  /** Explanation. */
  readonly detail?: string
}

/**
 * The error body of the service. Only the HTTP status of the response decides which error it is.
 *
 * Source: service description §2.7
 * @since 0.1.0
 */
export const ErrorBody = Schema.Struct({
  success: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Always false in an error body" })
  ),
  error: Schema.Struct({
    status: Schema.optionalKey(
      Schema.Int.annotate({ description: "HTTP status code", format: "int32" })
    ),
    title: Schema.optionalKey(Schema.String.annotate({ description: "Short title of the error" })),
    detail: Schema.optionalKey(Schema.String.annotate({ description: "Explanation" }))
  }).annotate({ description: "Error detail" })
}).annotate({ identifier: "ErrorBody" })

/**
 * A value of the schema {@link ErrorBody}.
 *
 * @since 0.1.0
 */
export interface ErrorBody {
  /** Always false in an error body. */
  readonly success?: boolean
  /** The service's explanation. */
  readonly error: ErrorDetail
}
