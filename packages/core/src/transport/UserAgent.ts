/**
 * The User-Agent header, which names this library in the logs of the service.
 */
import { version } from "./Version.ts"

export const userAgent = (suffix?: string): string =>
  `messaging-topup/${version}${suffix === undefined ? "" : ` ${suffix}`}`
