/** The User-Agent header, which names this library in the logs of the service. */

/** The version of this package; `pnpm release:version` writes it. */
const version = "0.0.0"

export const userAgent = (suffix?: string): string =>
  `messaging-topup/${version}${suffix === undefined ? "" : ` ${suffix}`}`
