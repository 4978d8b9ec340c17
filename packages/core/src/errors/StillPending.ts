/**
 * The expected status did not come in time.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { errorClass } from "./ErrorClass.ts"
import { SmsStatusRecord } from "../operations/GetSmsStatus.ts"

/**
 * No record satisfied `until` before the time-out or the schedule ended.
 *
 * `lastRecord` is the last record that was read, if any. It holds a phone number, so printing the
 * error does not show it.
 *
 * @since 0.1.0
 */
export class StillPending extends errorClass<StillPending>()(
  "StillPending",
  { lastRecord: Schema.optionalKey(SmsStatusRecord) },
  {
    message: () =>
      "The SMS did not reach the expected status in time; error.lastRecord holds the last record that was read",
    hidden: ["lastRecord"]
  }
) {}
