/**
 * Makes the class of one documented error status.
 */
import { ErrorBody } from "./ErrorBody.ts"
import { operation } from "./FailureOutcome.ts"
import { errorClass } from "./ErrorClass.ts"

/** `advice` says what happened and what to do. */
export const documentedError =
  <Self>() =>
  <const Tag extends string, const Status extends number>(
    tag: Tag,
    status: Status,
    advice: string
  ) =>
    Object.assign(
      errorClass<
        Self,
        {
          /** The HTTP status of the response; `error.status` is what its body says. */
          readonly status: Status
        }
      >()(
        tag,
        { ...ErrorBody.fields, operation },
        {
          message: () =>
            `${advice} (HTTP ${status}; the service's own words are in error.error.title and error.error.detail)`,
          hidden: ["success", "error"]
        },
        { status }
      ),
      { status }
    )
