/** The promise client, on the connections that its entry point opens. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Dispatcher } from "undici"
import { secured } from "../call/BaseUrl.ts"
import {
  checkOptions,
  connectionOptions,
  type Option,
  secret,
  serviceOptions
} from "../call/OptionChecks.ts"
import { makeService } from "../Call.ts"
import { ConfigurationError } from "../errors/ClientFailures.ts"
import type { ListDataBundlesQuery } from "../operations/Model.ts"
import { fetchWire } from "../transport/FetchWire.ts"
import { transportOver } from "../transport/TimedRequest.ts"
import type { Wire } from "../transport/Wire.ts"
import { makeCalls } from "./Calls.ts"
import type { CreateClientOptions, MessagingTopupClient } from "./Types.ts"

export interface Connections {
  readonly wire: Wire
  readonly close: () => Promise<void>
}

const optional =
  <A>(is: (value: unknown) => value is A, what: string) =>
  (value: unknown) =>
    is(value) ? Result.succeed(value) : Result.fail(`give ${what}, or leave it out`)

const isFetch = (value: unknown): value is typeof globalThis.fetch => Predicate.isFunction(value)

const isLog = (value: unknown): value is (line: string) => void => Predicate.isFunction(value)

const isDispatcher = (value: unknown): value is Dispatcher =>
  Predicate.hasProperty(value, "dispatch") && Predicate.isFunction(value.dispatch)

const table = {
  ...serviceOptions,
  token: { check: secret },
  ...connectionOptions,
  dispatcher: { check: optional(isDispatcher, "a dispatcher of undici"), default: undefined },
  fetch: { check: optional(isFetch, "a function"), default: undefined },
  debug: { check: optional(isLog, "a function"), default: undefined }
} satisfies Readonly<Record<keyof CreateClientOptions, Option<unknown>>>

const check = (options: object) => Result.flatMap(checkOptions(table, options), secured)

/** The options of a client, checked. */
export type ClientSettings = Result.Result.Success<ReturnType<typeof check>>

/** Throws `ConfigurationError` if one of these options is given, because another one excludes it. */
export const exclude = (options: object, names: ReadonlyArray<string>, because: string): void => {
  const setting = names.find((name) => !Predicate.isNullish(Reflect.get(options, name)))
  if (setting !== undefined) {
    throw new ConfigurationError({ setting, problem: `leave it out, because ${because}` })
  }
}

export const openFetch = ({ fetch }: ClientSettings, options: object): Connections => {
  exclude(options, ["connections", "userAgent", "dispatcher"], "fetch makes the connections")
  return { wire: fetchWire(fetch), close: () => Promise.resolve() }
}

/**
 * `open` runs once the options are valid; closing the client closes its connections. Throws
 * `ConfigurationError`.
 */
export const createClientOn = (
  open: (settings: ClientSettings, options: object) => Connections,
  given: object
): MessagingTopupClient => {
  // A script without types can pass anything.
  const options = Predicate.isObject(given) ? given : {}
  const settings = Result.getOrThrow(check(options))
  const connections = open(settings, options)
  const service = makeService(settings, transportOver(connections.wire))
  const { close: closeCalls, settled } = makeCalls(settings.debug)
  const close = () => closeCalls().then(connections.close)
  return {
    sendSms: (request, call) => settled("sendSms", call, () => service.sendSms(request)),
    getSmsStatus: (id, call) => settled("getSmsStatus", call, () => service.getSmsStatus(id)),
    getAirtimeStatus: (code, call) =>
      settled("getAirtimeStatus", call, () => service.getAirtimeStatus(code)),
    getDataBundleStatus: (code, call) =>
      settled("getDataBundleStatus", call, () => service.getDataBundleStatus(code)),
    listDataBundles: (call) =>
      settled("listDataBundles", call, ({ query }) =>
        // The service checks it.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        service.listDataBundles({ query: query as ListDataBundlesQuery | undefined })
      ),
    close,
    [Symbol.asyncDispose]: close
  }
}
