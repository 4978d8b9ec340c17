/**
 * URLs whose responses cannot be changed on the way.
 */
import { isLoopbackHost } from "@messaging-topup/core"

/** Starts with https, or with http on loopback; no user name and no password. */
export const secureUrl = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const secure =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))
  return secure && url.username === "" && url.password === "" ? url : undefined
}
