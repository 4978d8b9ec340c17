/**
 * Reads the `Retry-After` header (RFC 9110 §10.2.3): seconds or a date.
 */

const seconds = /^\d{1,9}$/

/** Returns the seconds from `nowMillis`, or `undefined` if the header is missing or invalid. */
export const parseRetryAfter = (
  header: string | undefined,
  nowMillis: number
): number | undefined => {
  const value = header?.trim()
  if (value === undefined || value === "") return undefined
  if (seconds.test(value)) return Number(value)
  // Date.parse accepts almost any text that starts with a digit. An HTTP date starts with a
  // weekday.
  if (!/^[A-Za-z]/.test(value)) return undefined
  // The oldest of the three date formats has no zone, and all three mean GMT.
  const at = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - nowMillis) / 1000)
}
