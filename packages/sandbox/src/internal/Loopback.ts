/**
 * Whether only this machine can reach a host.
 */
import { isLoopbackHost } from "@messaging-topup/core"

/** A host as it is given to `listen`: IPv6 without brackets. */
export const isLoopback = (host: string): boolean =>
  isLoopbackHost(host.includes(":") ? `[${host}]` : host)

/** The value of a `Host` header: a port may follow, and IPv6 is in brackets. */
export const isLoopbackHeader = (host: string): boolean =>
  isLoopbackHost(host.toLowerCase().replace(/:\d+$/, ""))
