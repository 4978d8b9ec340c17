/**
 * Addresses that need no protection on the way, and those that have it.
 */

const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** `host` as a URL writes it: IPv6 in brackets. */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)

export const isLoopback = (url: URL): boolean => isLoopbackHost(url.hostname)

/** The address, if nobody on the way can change what it answers. */
export const secureUrl = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const secure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))
  return secure && url.username === "" && url.password === "" ? url : undefined
}
