/**
 * undici's connections, opened with the first request.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as undici from "undici"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import type { NodeTransportOptions } from "../NodeTransportOptions.ts"
import { acceptEncoding } from "./ContentCoding.ts"
import { parseTimeout, timeoutAdvice } from "./Timeout.ts"
import type { LazyDispatcher } from "./UndiciWire.ts"
import { userAgent } from "./UserAgent.ts"

type Undici = typeof undici

export interface DispatcherSettings {
  readonly connections: number
  readonly connect: undici.buildConnector.BuildOptions
  /** `"env"`, a URL, or absent. */
  readonly proxy: string | undefined
  readonly userAgent: string | undefined
}

const defaultConnections = 100
const defaultConnectTimeout = Duration.seconds(10)

type Checked<A> = Result.Result<A, ConfigurationError>

const refuse = (setting: string, problem: string): Checked<never> =>
  Result.fail(new ConfigurationError({ setting, problem }))

const checkConnections = (value: number): Checked<number> =>
  Number.isSafeInteger(value) && value > 0
    ? Result.succeed(value)
    : refuse("connections", "give a whole number of at least 1")

const checkProxy = (value: string | undefined): Checked<string | undefined> => {
  if (value === undefined || value === "env") return Result.succeed(value)
  return /^https?:$/.test(URL.parse(value)?.protocol ?? "")
    ? Result.succeed(value)
    : refuse("proxy", 'give a URL that starts with http:// or https://, or "env"')
}

/** What a header can carry as one or more products (RFC 9110 §10.1.5). */
const checkUserAgent = (value: string | undefined): Checked<string | undefined> =>
  value === undefined || /^[\u0021-\u007e]+( [\u0021-\u007e]+)*$/.test(value)
    ? Result.succeed(value)
    : refuse("userAgent", "give printable ASCII, such as my-app/1.0")

const known: Readonly<Record<keyof NodeTransportOptions, true>> = {
  connections: true,
  connectTimeout: true,
  proxy: true,
  ca: true,
  cert: true,
  key: true,
  userAgent: true
}

const checkNames = (options: object): Checked<void> =>
  Object.keys(options).every((name) => Object.hasOwn(known, name))
    ? Result.succeed(undefined)
    : refuse("options", `the options of this transport are ${Object.keys(known).join(", ")}`)

export const check = (options: NodeTransportOptions): Checked<DispatcherSettings> => {
  const checked = Result.all({
    names: checkNames(options),
    connections: checkConnections(options.connections ?? defaultConnections),
    connectTimeout: Option.match(parseTimeout(options.connectTimeout ?? defaultConnectTimeout), {
      onNone: () => refuse("connectTimeout", timeoutAdvice),
      onSome: (duration): Checked<Duration.Duration> => Result.succeed(duration)
    }),
    proxy: checkProxy(options.proxy),
    userAgent: checkUserAgent(options.userAgent)
  })
  const { ca, cert, key } = options
  return Result.map(checked, ({ connectTimeout, connections, proxy, userAgent: suffix }) => ({
    connections,
    proxy,
    userAgent: suffix,
    connect: {
      timeout: Duration.toMillis(connectTimeout),
      allowH2: false,
      ...(ca === undefined ? {} : { ca: typeof ca === "string" ? ca : [...ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key })
    }
  }))
}

const open = (
  { Agent, EnvHttpProxyAgent, ProxyAgent }: Undici,
  { connect, connections, proxy }: DispatcherSettings
): undici.Dispatcher => {
  const options = { connections, pipelining: 1, allowH2: false, connect }
  if (proxy === undefined) return new Agent(options)
  if (proxy === "env") return new EnvHttpProxyAgent({ ...options, requestTls: connect })
  return new ProxyAgent({ ...options, uri: proxy, requestTls: connect })
}

export interface OpenDispatcher extends LazyDispatcher {
  readonly close: () => Promise<void>
}

export const make = (settings: DispatcherSettings): OpenDispatcher => {
  let opened: undici.Dispatcher | undefined
  let loading: Promise<undici.Dispatcher> | undefined
  let isClosed = false

  const start = (loaded: Undici): undici.Dispatcher | Promise<undici.Dispatcher> => {
    const dispatcher = open(loaded, settings)
    opened = dispatcher
    // A destroyed dispatcher refuses the requests that waited for it.
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

/** The headers of every request. */
export const headers = (userAgentSuffix?: string) => ({
  "user-agent": userAgent(userAgentSuffix),
  "accept-encoding": acceptEncoding
})

/** A dispatcher of the caller's. */
export const given = (dispatcher: undici.Dispatcher): LazyDispatcher => ({
  current: () => dispatcher,
  load: () => Promise.resolve(dispatcher)
})
