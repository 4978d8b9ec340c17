/** The five operations as promises, on Node and Deno: undici, with its own connections. */
// oxlint-disable-next-line import/no-unassigned-import -- it must run before undici
import "./NodeVersion.ts"
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { globalAgent } from "node:http"
import * as undici from "undici"
import { compileSchemas } from "../call/CompiledSchemas.ts"
import { checkNames } from "../call/Settings.ts"
import { ConfigurationError } from "../errors/ConfigurationError.ts"
import * as UndiciDispatcher from "../transport/UndiciDispatcher.ts"
import { platformError } from "../transport/UndiciPlatform.ts"
import * as UndiciWire from "../transport/UndiciWire.ts"
import { inMillis } from "./CallOptions.ts"
import { type ConnectionOptions, type Connections, createClientOn } from "./Client.ts"
import { openFetch } from "./FetchConnections.ts"
import type { CreateClientOptions, MessagingTopupClient, TransportOptions } from "./Types.ts"

export type * from "./Types.ts"
export { isMessagingTopupError, isSendSmsRejection } from "./Client.ts"

const optionNames: Readonly<Record<keyof TransportOptions, true>> = {
  connections: true,
  connectTimeoutMillis: true,
  proxy: true,
  ca: true,
  cert: true,
  key: true,
  userAgent: true
}

const ofTransport = ({ problem, setting }: ConfigurationError): ConfigurationError =>
  new ConfigurationError({ setting: `transport.${setting}`, problem })

/** With `NODE_USE_ENV_PROXY` or `--use-env-proxy`, Node's own clients use the proxies of the environment. */
const defaultProxy = () =>
  Predicate.hasProperty(globalAgent, "options") &&
  Predicate.hasProperty(globalAgent.options, "proxyEnv") &&
  Predicate.isObject(globalAgent.options.proxyEnv)
    ? { proxy: "env" }
    : {}

const checked = (given: unknown) => {
  // A script without types can pass anything.
  const options: TransportOptions = Object(given)
  const { connectTimeoutMillis, ...others } = options
  const settings = Result.flatMap(checkNames(options, optionNames), () =>
    Result.mapError(
      UndiciDispatcher.check({
        ...defaultProxy(),
        ...others,
        ...(connectTimeoutMillis === undefined
          ? {}
          : { connectTimeout: Duration.millis(connectTimeoutMillis) })
      }),
      inMillis("connectTimeout")
    )
  )
  return Result.getOrThrow(Result.mapError(settings, ofTransport))
}

const openUndici = (transport: unknown): Connections => {
  if (platformError !== undefined) throw platformError
  compileSchemas()
  const settings = checked(transport)
  const dispatcher = Result.getOrThrow(
    Result.try({
      try: () => UndiciDispatcher.open(undici, settings),
      // All else was checked.
      catch: () =>
        new ConfigurationError({
          setting: "HTTP_PROXY or HTTPS_PROXY",
          problem: UndiciDispatcher.proxyAdvice
        })
    })
  )
  return {
    wire: UndiciWire.make(
      UndiciDispatcher.given(dispatcher),
      UndiciDispatcher.headers(settings.userAgent)
    ),
    close: () => dispatcher.destroy()
  }
}

const open = (options: ConnectionOptions): Connections =>
  options.fetch === undefined ? openUndici(options.transport) : openFetch(options)

/**
 * Creates a client with its own connections, at most 100. Close it when you no longer need it.
 *
 * Throws `ConfigurationError` for an option that is missing, unsafe or unknown, on Bun and on Node
 * older than 22.19.
 *
 * @example
 * ```ts
 * import { createClient } from "@messaging-topup/core/promise"
 *
 * const client = createClient({
 *   baseUrl: process.env["MESSAGING_TOPUP_BASE_URL"] ?? "https://api.example.com",
 *   token: process.env["MESSAGING_TOPUP_TOKEN"] ?? "",
 *   transport: { connections: 20 }
 * })
 * const { data } = await client.sendSms({ recipient: "+15550100123", message: "Your code is 4711" })
 * console.log(data[0]?.recipient) // +15550100123
 * await client.close()
 * ```
 */
export const createClient = (options: CreateClientOptions): MessagingTopupClient =>
  createClientOn(open, options)
