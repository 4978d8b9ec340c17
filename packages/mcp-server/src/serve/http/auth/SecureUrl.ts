/**
 * Accepts URLs whose responses cannot be changed in transit.
 */
import { isLoopbackHost } from "@messaging-topup/core/internal"

/** Returns `undefined` unless the URL uses https, or http on loopback, and has no user name or password. */
export const secureUrl = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null) return undefined
  const secure =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))
  return secure && url.username === "" && url.password === "" ? url : undefined
}
