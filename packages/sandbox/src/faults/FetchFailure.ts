/**
 * The errors of `fetch`, with the properties that they have in Node.
 */

const failed = (message: string, reason: string, code: string, syscall: string): TypeError =>
  new TypeError(message, { cause: Object.assign(new Error(reason), { code, syscall }) })

export const connectionRefused = (): TypeError =>
  failed("fetch failed", "connect ECONNREFUSED", "ECONNREFUSED", "connect")

export const hostNotFound = (host: string): TypeError =>
  failed("fetch failed", `getaddrinfo ENOTFOUND ${host}`, "ENOTFOUND", "getaddrinfo")

export const connectionReset = (): TypeError =>
  failed("fetch failed", "read ECONNRESET", "ECONNRESET", "read")

/** The connection broke in the middle of a body. */
export const bodyTerminated = (): TypeError =>
  failed("terminated", "read ECONNRESET", "ECONNRESET", "read")
