/**
 * The `Retry-After` header (RFC 9110 §10.2.3): seconds or a date.
 */

const seconds = /^\d{1,9}$/

/** In seconds from `nowMillis`; `undefined` where there is no header or it cannot be read. */
export const parseRetryAfter = (
  header: string | undefined,
  nowMillis: number
): number | undefined => {
  const value = header?.trim()
  if (value === undefined || value === "") return undefined
  if (seconds.test(value)) return Number(value)
  // Date.parse takes almost anything that starts with a digit; an HTTP date starts with a weekday.
  if (!/^[A-Za-z]/.test(value)) return undefined
  // The oldest of the three forms names no zone, and all three mean GMT.
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMillis) / 1000)
}
