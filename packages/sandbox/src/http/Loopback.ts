/**
 * Tells whether only this machine can reach a host.
 */
import { isLoopbackHost } from "@messaging-topup/core/internal"

/** The host is in the form of `listen`: IPv6 without brackets. */
export const isLoopback = (host: string): boolean =>
  isLoopbackHost(host.includes(":") ? `[${host}]` : host)

/** The host is in the form of a `Host` header: IPv6 in brackets, with an optional port. */
export const isLoopbackHeader = (host: string): boolean =>
  isLoopbackHost(host.toLowerCase().replace(/:\d+$/, ""))
