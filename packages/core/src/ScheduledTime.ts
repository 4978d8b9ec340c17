/** Reads the time of an SMS, of which the service documents no form. */
import type { SendSmsRequest } from "./operations/Model.ts"

/** A moment by ISO 8601. Without its zone, a time may be several. */
const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i

/** When an SMS is scheduled, in milliseconds since 1970; undefined if it says no moment. */
export const scheduledAt = ({ scheduled_time }: SendSmsRequest): number | undefined => {
  const at = moment.test(scheduled_time ?? "") ? Date.parse(scheduled_time ?? "") : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
