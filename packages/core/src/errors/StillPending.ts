/**
 * The status that was waited for did not come in time.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { errorClass } from "../internal/ErrorClass.ts"
import { SmsStatusRecord } from "../operations/GetSmsStatus.ts"

/**
 * The time was up before a record satisfied `until`.
 *
 * `lastRecord` is the last record that was read, absent if there was none. It holds a phone number and
 * is in no rendering of the error.
 *
 * @since 0.1.0
 */
export class StillPending extends errorClass<StillPending>()(
  "StillPending",
  { lastRecord: Schema.optionalKey(SmsStatusRecord) },
  {
    message: () =>
      "The time was up before the SMS had the status that was waited for; error.lastRecord holds the last one read",
    hidden: ["lastRecord"]
  }
) {}
