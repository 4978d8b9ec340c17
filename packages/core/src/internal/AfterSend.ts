/**
 * What the message of a failure adds when an SMS may have gone out.
 */
import * as Schema from "effect/Schema"

/** The operation that failed, such as `sendSms`. */
export const operation = Schema.optionalKey(Schema.String)

export const afterSend = (name: string | undefined): string =>
  name === "sendSms" ? ". Ask sendOutcome(error) before any second send" : ""
