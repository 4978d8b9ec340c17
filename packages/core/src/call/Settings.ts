/** Checks the options of a client. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConfigurationError, notSet } from "../errors/ConfigurationError.ts"
import type { MessagingTopupOptions } from "./MessagingTopupOptions.ts"

export interface Settings {
  readonly baseUrl: URL
  readonly token: Redacted.Redacted | Effect.Effect<unknown, unknown>
  readonly timeoutMillis: number
  readonly readRetries: number
  readonly maxBodyBytes: number
}

type Checked<A> = Result.Result<A, ConfigurationError>

const refuse = (setting: string, problem: string): Checked<never> =>
  Result.fail(new ConfigurationError({ setting, problem }))

// Not *.localhost: outside browsers, a resolver may look it up on the network.
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns whether a host is a loopback host, so that traffic to it does not leave this machine.
 *
 * The host is written as in a URL: IPv6 in brackets.
 *
 * @example
 * ```ts
 * import { isLoopbackHost } from "@messaging-topup/core"
 *
 * console.log(isLoopbackHost("127.0.0.1")) // true
 * console.log(isLoopbackHost("[::1]")) // true
 * console.log(isLoopbackHost("api.example.com")) // false
 * ```
 */
export const isLoopbackHost = (host: string): boolean => loopback.test(host)

const badUrl = (problem: string) => refuse("baseUrl", problem)

const exampleUrl = "such as https://api.example.com"

const checkBaseUrl = (value: unknown, allowInsecureHttp: boolean): Checked<URL> => {
  // A script may read a variable that is not set as an empty text.
  if (value === undefined || value === "")
    return badUrl(`${notSet}: give the address of the service, ${exampleUrl}`)
  // The URL parser would drop these characters silently.
  // oxlint-disable-next-line no-control-regex
  if (!Predicate.isString(value) || /[\u0000-\u0020\u007f]/.test(value)) {
    return badUrl("give an absolute URL without spaces or control characters")
  }
  if (!URL.canParse(value)) return badUrl(`give an absolute URL, ${exampleUrl}`)
  const url = new URL(value)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return badUrl("start it with https://, or http:// on loopback")
  // The URL parser accepts `https:host` and backslashes, and reads them as another address.
  if (!/^https?:\/\/[^/\\][^\\]*$/i.test(value)) {
    return badUrl(`give an absolute URL, ${exampleUrl}`)
  }
  if (url.username !== "" || url.password !== "") {
    return badUrl(
      "take the user name and password out of the URL; the token is the only credential"
    )
  }
  if (value.includes("?") || value.includes("#")) {
    return badUrl("take the query and fragment out of the URL")
  }
  if (url.protocol === "http:" && !allowInsecureHttp && !isLoopbackHost(url.hostname)) {
    return badUrl(
      "use https, because http shows the token to the network; set allowInsecureHttp only where the network is trusted"
    )
  }
  return Result.succeed(url)
}

export const checkToken = (token: unknown): Checked<Redacted.Redacted> => {
  const missing = refuse("token", `${notSet}: give the access token`)
  if (token === undefined) return missing
  if (!Redacted.isRedacted(token)) return refuse("token", "wrap it with Redacted.make")
  // `Redacted.value` throws for a token that was wiped.
  const value = Result.try((): unknown => Redacted.value(token))
  if (Result.isSuccess(value) && value.success === "") return missing
  // The characters that a header allows in one credential (RFC 9110 §5.5, RFC 6750 §2.1).
  return Result.isSuccess(value) &&
    Predicate.isString(value.success) &&
    /^[\u0021-\u007e]+$/.test(value.success)
    ? Result.succeed(Redacted.make(value.success))
    : refuse(
        "token",
        "give the access token as it was issued: printable ASCII only, no spaces, line breaks or control characters"
      )
}

export const timeoutAdvice = 'give a positive, finite duration, such as "30 seconds"'

/** Returns the milliseconds; `undefined` if the duration is not positive and finite, or is none. */
export const parseTimeout = (input: Duration.Input): number | undefined => {
  const millis = Result.try(() => Duration.toMillis(Duration.fromInputUnsafe(input)))
  return Result.isSuccess(millis) && millis.success > 0 && millis.success < Infinity
    ? millis.success
    : undefined
}

const defaultTimeout = "30 seconds"
const defaultReadRetries = 2
const defaultMaxBodyBytes = 10 * 1024 * 1024

export const checkTimeout = (setting: string, input: Duration.Input): Checked<number> => {
  const millis = parseTimeout(input)
  return millis === undefined ? refuse(setting, timeoutAdvice) : Result.succeed(millis)
}

export const checkCount = (setting: string, value: number, minimum: number): Checked<number> =>
  Number.isSafeInteger(value) && value >= minimum
    ? Result.succeed(value)
    : refuse(setting, `give a whole number of at least ${minimum}`)

const optionNames: Readonly<Record<keyof MessagingTopupOptions, true>> = {
  baseUrl: true,
  token: true,
  timeout: true,
  readRetries: true,
  maxBodyBytes: true,
  allowInsecureHttp: true
}

/** An error repeats an unknown option only if it looks like a name. */
const plainName = /^[A-Za-z]\w{0,40}$/

/** Without this check, a misspelt option would be ignored silently. */
export const checkNames = (
  options: object,
  names: Readonly<Record<string, true>> = optionNames
): Checked<void> => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name))
  return unknown === undefined
    ? Result.succeed(undefined)
    : refuse(
        plainName.test(unknown) ? unknown : "options",
        `there is no such option; the options are ${Object.keys(names).join(", ")}`
      )
}

const checkFlag = (setting: string, value: unknown): Checked<boolean> =>
  typeof value === "boolean" ? Result.succeed(value) : refuse(setting, "give true or false")

/** Checks every value, because a script without types can pass anything. */
export const check = (options: Partial<MessagingTopupOptions>): Checked<Settings> =>
  Result.all({
    names: checkNames(options),
    allowInsecureHttp: checkFlag("allowInsecureHttp", options.allowInsecureHttp ?? false),
    baseUrl: checkBaseUrl(options.baseUrl, options.allowInsecureHttp === true),
    token: Effect.isEffect(options.token)
      ? Result.succeed(options.token)
      : checkToken(options.token),
    timeoutMillis: checkTimeout("timeout", options.timeout ?? defaultTimeout),
    readRetries: checkCount("readRetries", options.readRetries ?? defaultReadRetries, 0),
    maxBodyBytes: checkCount("maxBodyBytes", options.maxBodyBytes ?? defaultMaxBodyBytes, 1)
  })
