/**
 * Addresses that an authorization server may have.
 */

const loopback = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const isLoopback = (url: URL): boolean => loopback.test(url.hostname)

/** The address, if nobody on the way can change what it answers. */
export const secureUrl = (text: string): URL | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const secure = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))
  return secure && url.username === "" && url.password === "" ? url : undefined
}
