/**
 * The service responded with a status that is not documented for the operation.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import {
  outcomeAdvice,
  operation,
  outcomeOfUndocumentedStatus
} from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/**
 * The HTTP status is not documented for this operation: another success, a redirect (never
 * followed), a proxy's response, or a rate limit.
 *
 * `status` is 0 if a browser hides a redirect. `retryAfterSeconds` is the `Retry-After` header, in
 * seconds from the response. `body` is the text of the response, up to 64 KiB; printing the error
 * does not show it.
 *
 * @since 0.1.0
 */
export class UndocumentedStatus extends errorClass<UndocumentedStatus>()(
  "UndocumentedStatus",
  {
    status: Schema.Int,
    retryAfterSeconds: Schema.optionalKey(Schema.Finite),
    body: Schema.String,
    operation
  },
  {
    message: ({ retryAfterSeconds, status, operation: name }) => {
      const wait = retryAfterSeconds === undefined ? "" : `, Retry-After ${retryAfterSeconds} s`
      const hint = status === 401 ? ". Check the access token" : ""
      return `The service responded with HTTP ${status}${wait}, which is not documented for this operation; error.body holds the response${outcomeAdvice(name, outcomeOfUndocumentedStatus(status))}${hint}`
    },
    hidden: ["body"]
  }
) {}
