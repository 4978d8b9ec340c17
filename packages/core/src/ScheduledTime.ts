/** When an SMS is scheduled, as far as anybody can tell. */
import type { SendSmsRequest } from "./operations/Model.ts"

/** A moment by ISO 8601. The service documents no format, and a time without its zone may be several moments. */
const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i

/** In milliseconds since 1970; undefined if that is not known. */
export const scheduledAt = ({ scheduled_time }: SendSmsRequest): number | undefined => {
  const at = moment.test(scheduled_time ?? "") ? Date.parse(scheduled_time ?? "") : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
