/**
 * The operation of a failure, and what its message adds when an SMS may have gone out.
 */
import * as Schema from "effect/Schema"

/**
 * The operation that failed, such as `sendSms`. It is encoded, because a cause can hold the errors of
 * several operations, and those of a read say nothing of a send.
 */
export const operation = Schema.optionalKey(Schema.String)

export const afterSend = (name: string | undefined): string =>
  name === "sendSms" ? ". Ask sendOutcome(error) before any second send" : ""
