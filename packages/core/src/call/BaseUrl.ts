/** Where the service is: its URL, and whether traffic to it leaves this machine. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { ConfigurationError } from "../errors/ClientFailures.ts"
import { notSet } from "../errors/Failure.ts"
import { endpoints } from "../operations/Endpoints.ts"

/** A failure is what to change, and never repeats the value. */
export type Checked<A> = Result.Result<A, string>

/** What stands before the path of each operation. */
export const pathPrefix = (url: URL): string => url.pathname.replace(/\/+$/, "")

const exampleUrl = "such as https://api.example.com"

export const baseUrl = (value: unknown): Checked<URL> => {
  // A script may read a variable that is not set as an empty text.
  if (Predicate.isNullish(value) || value === "") {
    return Result.fail(`${notSet}: give the address of the service, ${exampleUrl}`)
  }
  // The URL parser would drop these characters silently.
  // oxlint-disable-next-line no-control-regex
  if (!Predicate.isString(value) || /[\u0000-\u0020\u007f]/.test(value)) {
    return Result.fail("give an absolute URL without spaces or control characters")
  }
  // The URL parser accepts `https:host` and backslashes, and reads them as another address.
  if (!URL.canParse(value) || /^https?:(?!\/\/[^/\\][^\\]*$)/i.test(value)) {
    return Result.fail(`give an absolute URL, ${exampleUrl}`)
  }
  const url = new URL(value)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return Result.fail("start it with https://, or http:// on loopback")
  }
  if (url.username !== "" || url.password !== "") {
    return Result.fail(
      "take the user name and password out of the URL; the token is the only credential"
    )
  }
  const path = pathPrefix(url)
  const extra =
    value.includes("?") || value.includes("#")
      ? "the query and fragment"
      : Object.values(endpoints).find((endpoint) => path.endsWith(endpoint.path))?.path
  return extra === undefined ? Result.succeed(url) : Result.fail(`take ${extra} out of the URL`)
}

// Not *.localhost: outside browsers, a resolver may look it up on the network.
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/

/**
 * Returns whether a host is a loopback host, so that traffic to it does not leave this machine. It is written as in a
 * URL, with IPv6 in brackets, or as for `listen`.
 */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)

/** The host of a sandbox without a server. No request to it can leave the process. */
export const inProcessHost = "sandbox.invalid"

/** Writes a host for `listen` as in a URL: IPv6 in brackets. */
export const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** Refuses to show the token to the network. `nameOf` is what the caller of an option calls it. */
export const secured = <S extends { readonly allowInsecureHttp: boolean; readonly baseUrl: URL }>(
  settings: S,
  nameOf = (option: string): string => option
): Result.Result<S, ConfigurationError> => {
  const { allowInsecureHttp, baseUrl: url } = settings
  return url.protocol === "http:" && !allowInsecureHttp && !isLoopbackHost(url.hostname)
    ? Result.fail(
        new ConfigurationError({
          setting: "baseUrl",
          problem: `use https, because http shows the token to the network; set ${nameOf("allowInsecureHttp")} only where the network is trusted`
        })
      )
    : Result.succeed(settings)
}
