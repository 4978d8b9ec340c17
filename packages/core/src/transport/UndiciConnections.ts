/** The connections of undici, with the proxies of the environment if Node's own switch is on. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { globalAgent } from "node:http"
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici"
import { ConfigurationError } from "../errors/ClientFailures.ts"

interface Runtime {
  readonly Bun?: unknown
  readonly Deno?: {
    readonly permissions: {
      readonly querySync: (permission: { readonly name: "env" }) => { readonly state: string }
    }
  }
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> }
}

const { Bun: bun, Deno: deno, process }: Runtime = globalThis

const wrongSetting = (setting: string, problem: string) =>
  new ConfigurationError({ setting, problem })

/**
 * Fails where undici does not work: Bun has its own module of that name, and a bundle may load another version than
 * its own. `agent` is a dispatcher, or the prototype of those that it makes.
 */
export const checkUndici = (agent: object): Result.Result<void, ConfigurationError> => {
  const problem =
    bun !== undefined
      ? "undici sends nothing on Bun: use the layer of @messaging-topup/core/fetch"
      : // Version 7 has other handlers, and no `interceptors`.
        "interceptors" in agent
        ? "undici 6 and older send nothing here: install undici 7 or newer"
        : undefined
  return problem === undefined ? Result.void : Result.fail(wrongSetting("transport", problem))
}

/**
 * With `NODE_USE_ENV_PROXY=1` or `--use-env-proxy`, Node's own clients use the proxies of the environment. Node
 * before 22.21 and Deno do not know the switch, so the variable is read for them.
 */
const proxyVariables = (): Readonly<Record<string, unknown>> | undefined => {
  const options: unknown = Reflect.get(globalAgent, "options")
  if (Predicate.hasProperty(options, "proxyEnv") && Predicate.isObject(options.proxyEnv)) {
    return { ...options.proxyEnv }
  }
  // Without the permission, Deno would ask the user, or throw.
  const isReadable =
    deno === undefined || deno.permissions.querySync({ name: "env" }).state === "granted"
  return isReadable && process?.env["NODE_USE_ENV_PROXY"] === "1" ? { ...process.env } : undefined
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
  const checked = checkUndici(Agent.prototype)
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  const variables = proxyVariables()
  const wrong = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"].find(
    (name) => !isProxyUrl(variables?.[name])
  )
  return wrong === undefined
    ? Result.try({
        try: () => open(connections, variables),
        // The user name or the password of a proxy cannot be decoded.
        catch: () => wrongSetting("HTTP_PROXY or HTTPS_PROXY", proxyAdvice)
      })
    : Result.fail(wrongSetting(wrong, proxyAdvice))
}
