/** The connections of undici, with the proxies of the environment if Node's own switch is on. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { globalAgent } from "node:http"
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici"
import { ConfigurationError } from "../errors/ClientFailures.ts"

interface Runtime {
  readonly Bun?: unknown
  readonly Deno?: unknown
  readonly process?: { readonly versions?: { readonly node?: string } }
}

const { Bun: bun, Deno: deno, process }: Runtime = globalThis

const refuse = (setting: string, problem: string) => new ConfigurationError({ setting, problem })

/** Returns why undici does not work on this platform. */
export const platformError = (): ConfigurationError | undefined => {
  // Bun has its own module named undici.
  if (bun !== undefined) {
    return refuse(
      "transport",
      "undici sends nothing on Bun: use the layer of @messaging-topup/core/fetch"
    )
  }
  const node = process?.versions?.node ?? ""
  const [major = 0, minor = 0] = node.split(".").map(Number)
  // Deno reports a version of Node that is not its own.
  return deno === undefined && (major < 22 || (major === 22 && minor < 19))
    ? refuse("transport", `undici needs Node 22.19 or newer, and this is Node ${node}`)
    : undefined
}

/** With `NODE_USE_ENV_PROXY` or `--use-env-proxy`, Node's own clients use the proxies of the environment. */
const proxyVariables = (): Readonly<Record<string, unknown>> | undefined => {
  const options: unknown = Reflect.get(globalAgent, "options")
  return Predicate.hasProperty(options, "proxyEnv") && Predicate.isObject(options.proxyEnv)
    ? { ...options.proxyEnv }
    : undefined
}

/** undici throws for some, and fails slowly with others. */
const isProxyUrl = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (Predicate.isString(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? ""))

const connectTimeoutMillis = 10_000

const proxyAdvice = "give a URL that starts with http:// or https://"

const open = (connections: number, variables: object | undefined): Dispatcher => {
  // HTTP/1.1 only, because undici resends a refused HTTP/2 stream, even a POST.
  const limits = { connections, pipelining: 1, allowH2: false }
  const connect = { timeout: connectTimeoutMillis, allowH2: false }
  if (variables === undefined) return new Agent({ ...limits, connect })
  return new EnvHttpProxyAgent({
    ...limits,
    connect,
    requestTls: connect,
    proxyTls: { allowH2: false },
    // undici does not apply the limits to connections to a proxy, and waits five minutes for its
    // response to CONNECT.
    factory: (origin: string | URL, given: object) => new Pool(origin, { ...given, ...limits }),
    clientFactory: (origin: URL, given: object) =>
      new Pool(origin, { ...given, ...limits, headersTimeout: connectTimeoutMillis })
  })
}

export const openConnections = (
  connections: number
): Result.Result<Dispatcher, ConfigurationError> => {
  const error = platformError()
  if (error !== undefined) return Result.fail(error)
  const variables = proxyVariables()
  const wrong = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"].find(
    (name) => !isProxyUrl(variables?.[name])
  )
  return wrong === undefined
    ? Result.try({
        try: () => open(connections, variables),
        // The user name or the password of a proxy cannot be decoded.
        catch: () => refuse("HTTP_PROXY or HTTPS_PROXY", proxyAdvice)
      })
    : Result.fail(refuse(wrong, proxyAdvice))
}
