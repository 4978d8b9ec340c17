/**
 * The dispatcher of undici. Its connections open on the first request.
 */
import * as Result from "effect/Result"
import type * as undici from "undici"
import { checkCount, checkNames, checkTimeout } from "../call/Settings.ts"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import { acceptEncoding } from "./ContentCoding.ts"
import type { NodeTransportOptions } from "./NodeTransportOptions.ts"
import type { LazyDispatcher } from "./UndiciWire.ts"
import { userAgent } from "./UserAgent.ts"

type Undici = typeof undici

/** One proxy per protocol of the service. An empty text means no proxy. */
export interface Proxies {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

interface DispatcherSettings {
  readonly connections: number
  readonly connectTimeoutMillis: number
  readonly connect: undici.buildConnector.BuildOptions
  /** The client's certificate is for the service alone. */
  readonly connectToProxy: undici.buildConnector.BuildOptions
  /** `"env"`, a URL, or undefined. */
  readonly proxy: string | undefined
  readonly userAgent: string | undefined
}

const defaultConnections = 100
const defaultConnectTimeout = "10 seconds"

type Checked<A> = Result.Result<A, ConfigurationError>

const refuse = (setting: string, problem: string): Checked<never> =>
  Result.fail(new ConfigurationError({ setting, problem }))

export const isProxyUrl = (value: string): boolean =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? "")

export const proxyAdvice = "give a URL that starts with http:// or https://"

const checkProxy = (value: string | undefined): Checked<string | undefined> =>
  value === undefined || value === "env" || isProxyUrl(value)
    ? Result.succeed(value)
    : refuse("proxy", `${proxyAdvice}, or "env"`)

/** Allows one or more products in the header (RFC 9110 §10.1.5). */
const checkUserAgent = (value: string | undefined): Checked<string | undefined> =>
  value === undefined || /^[\u0021-\u007e]+( [\u0021-\u007e]+)*$/.test(value)
    ? Result.succeed(value)
    : refuse("userAgent", "give printable ASCII, such as my-app/1.0")

const optionNames: Readonly<Record<keyof NodeTransportOptions, true>> = {
  connections: true,
  connectTimeout: true,
  proxy: true,
  ca: true,
  cert: true,
  key: true,
  userAgent: true
}

export const check = (options: NodeTransportOptions): Checked<DispatcherSettings> => {
  const checked = Result.all({
    names: checkNames(options, optionNames),
    connections: checkCount("connections", options.connections ?? defaultConnections, 1),
    connectTimeoutMillis: checkTimeout(
      "connectTimeout",
      options.connectTimeout ?? defaultConnectTimeout
    ),
    proxy: checkProxy(options.proxy),
    userAgent: checkUserAgent(options.userAgent)
  })
  const { ca, cert, key } = options
  const authorities = ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }
  return Result.map(checked, ({ connectTimeoutMillis, connections, proxy, userAgent: suffix }) => ({
    connections,
    proxy,
    userAgent: suffix,
    connectTimeoutMillis,
    connectToProxy: { allowH2: false, ...authorities },
    connect: {
      timeout: connectTimeoutMillis,
      allowH2: false,
      ...authorities,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key })
    }
  }))
}

/**
 * `proxies` are the proxies of the environment, if the option is `"env"`. Without them, undici reads the
 * environment, and throws for an invalid URL.
 */
export const open = (
  { Agent, EnvHttpProxyAgent, Pool, ProxyAgent }: Undici,
  { connect, connectToProxy, connections, connectTimeoutMillis, proxy }: DispatcherSettings,
  proxies?: Proxies
): undici.Dispatcher => {
  const limits = { connections, pipelining: 1, allowH2: false }
  const options = { ...limits, connect }
  if (proxy === undefined) return new Agent(options)
  const proxied = {
    ...options,
    connectTimeout: connectTimeoutMillis,
    requestTls: connect,
    proxyTls: connectToProxy,
    // undici does not apply the limits to connections to a proxy, and waits five minutes for its
    // response to CONNECT.
    factory: (origin: string | URL, given: object) => new Pool(origin, { ...given, ...limits }),
    clientFactory: (origin: URL, given: object) =>
      new Pool(origin, { ...given, ...limits, headersTimeout: connectTimeoutMillis })
  }
  return proxy === "env"
    ? new EnvHttpProxyAgent({ ...proxied, ...proxies })
    : new ProxyAgent({ ...proxied, uri: proxy })
}

interface OpenDispatcher extends LazyDispatcher {
  readonly close: () => Promise<void>
}

/** Loads undici and opens a dispatcher: on the first request, or before it. */
export const make = (settings: DispatcherSettings, proxies?: Proxies): OpenDispatcher => {
  let opened: undici.Dispatcher | undefined
  let loading: Promise<undici.Dispatcher> | undefined
  let isClosed = false

  const start = (loaded: Undici): undici.Dispatcher | Promise<undici.Dispatcher> => {
    const dispatcher = open(loaded, settings, proxies)
    opened = dispatcher
    // A destroyed dispatcher rejects the requests that waited for it to load.
    return isClosed ? dispatcher.destroy().then(() => dispatcher) : dispatcher
  }

  return {
    current: () => opened,
    load: () => (loading ??= import("undici").then(start)),
    close: () => {
      isClosed = true
      return opened?.destroy() ?? Promise.resolve()
    }
  }
}

/** The headers that every request has. */
export const headers = (userAgentSuffix?: string) => ({
  "user-agent": userAgent(userAgentSuffix),
  "accept-encoding": acceptEncoding
})

/** Uses the caller's own dispatcher. */
export const given = (dispatcher: undici.Dispatcher): LazyDispatcher => ({
  current: () => dispatcher,
  load: () => Promise.resolve(dispatcher)
})
