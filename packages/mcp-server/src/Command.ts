/** The command: reads the options, and serves until it is asked to stop. */
import type { ConfigurationError } from "@messaging-topup/core"
import type { JournalError } from "@messaging-topup/journal"
import { nameOf } from "@messaging-topup/journal/internal"
import { Console } from "node:console"
import { flushCompileCache } from "node:module"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import manifest from "../package.json" with { type: "json" }
import type * as McpCaller from "./mcp/McpCaller.ts"
import { InFlight } from "./send/Dispatch.ts"
import { Sender } from "./send/Sender.ts"
import { Journal } from "./send/Journal.ts"
import * as Server from "./Server.ts"
import {
  exitCodes,
  Invocation,
  type Program,
  refuse,
  runMain,
  seeHelp,
  start,
  type UsageError
} from "@messaging-topup/command"
import type { ListenFailed } from "@messaging-topup/sandbox"
import type { HttpSettings } from "./settings/HttpSettings.ts"
import * as Settings from "./settings/Settings.ts"
import { checkNames, command, type Given, usage } from "./Options.ts"
import * as Log from "./Log.ts"
import * as Stdio from "./serve/Stdio.ts"
import { scopes } from "./tools/Tool.ts"
import * as Telemetry from "./Telemetry.ts"
import * as Upstream from "./Upstream.ts"

const guards = ({ journal, rules }: Settings.Settings) =>
  Sender.layer(rules).pipe(
    Layer.provideMerge(Journal.layer({ location: journal })),
    Layer.provideMerge(InFlight.layer)
  )

/**
 * Logs errors that are not part of a result. Their text could repeat a message, so only their name is
 * logged.
 */
const errorLogger = Effect.map(Effect.context(), (context) => {
  const log = Effect.runForkWith(context)
  return (error: unknown) => {
    log(Effect.logWarning("protocol error", { error: Log.kindOfDefect(error) }))
  }
})

const serveStdio = Effect.fnUntraced(function* (factoryFor: McpCaller.FactoryFor) {
  const invocation = yield* Invocation
  const { shutdown } = yield* InFlight
  const onError = yield* errorLogger
  yield* Effect.raceFirst(
    Stdio.serve(factoryFor, invocation, onError),
    Effect.andThen(invocation.stop, shutdown)
  )
  yield* shutdown
})

const serveHttp = Effect.fnUntraced(function* (
  factoryFor: McpCaller.FactoryFor,
  { credentials, ...address }: HttpSettings,
  { journal, rules }: Settings.Settings
) {
  const { canSend } = rules
  // Imported here, so that a server on stdio does not load them.
  const HttpServer = yield* Effect.promise(() => import("./serve/http/HttpServer.ts"))
  const Web = yield* Effect.promise(() => import("./serve/http/Web.ts"))
  const Authenticator = yield* Effect.promise(() => import("./serve/http/Authenticator.ts"))
  const { stop } = yield* Invocation
  const { shutdown } = yield* InFlight
  const { isReady } = yield* Journal
  // Not awaited: without a journal, reads still work. Over stdio, the first call that needs it opens it: a client may
  // start a process before that whose log nobody sees, and a new journal would be told there.
  if (canSend) yield* Effect.forkDetach(isReady)
  const needed = canSend ? [scopes.read, scopes.send] : [scopes.read]
  const { url } = yield* HttpServer.serve(factoryFor, {
    ...address,
    authenticator: credentials && (yield* Authenticator.make({ ...credentials, scopes: needed })),
    isReady: canSend ? isReady : Effect.succeed(true),
    maxBodyBytes: Web.maxBodyBytesOf(rules),
    shutdown,
    onError: yield* errorLogger
  })
  yield* Effect.logInfo("listening", { url, journal: canSend ? nameOf(journal) : undefined })
  yield* stop
}, Effect.scoped)

/**
 * Node writes the compile cache when the process ends, but a host may kill it. By this time, the client has
 * the list of tools.
 */
const keepCompiled = Effect.delay(
  Effect.sync(() => flushCompileCache()),
  "1 second"
)

const serve = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const { approvalKey, http, inbox, service } = settings
  const { environment, stderr } = yield* Invocation
  const services = guards(settings).pipe(
    Layer.provideMerge(Upstream.layer(service, inbox)),
    Layer.provideMerge(Log.layer(stderr)),
    Layer.provideMerge(Telemetry.layer(environment))
  )
  return yield* Effect.gen(function* () {
    if (inbox) yield* Effect.logInfo("inbox", { url: yield* Upstream.InboxUrl })
    yield* Effect.forkChild(keepCompiled)
    const address = service?.variables["MESSAGING_TOPUP_BASE_URL"]
    const factoryFor = yield* Server.makeFactory(approvalKey, address)
    yield* http === undefined ? serveStdio(factoryFor) : serveHttp(factoryFor, http, settings)
    return exitCodes.done
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(services)
  )
})

const run = Effect.fnUntraced(function* (given: Given) {
  const { environment } = yield* Invocation
  // The words are not repeated: one could be a secret in the wrong place.
  if (given.rest.length > 0) return yield* refuse(notUnderstood)
  return yield* serve(yield* Settings.read(given, environment))
})

const notUnderstood =
  "The arguments are not understood: this program takes only options, and serves; commands are those of messaging-topup. Secrets are never arguments."

type Failure = ConfigurationError | JournalError | ListenFailed | UsageError

const exitOf = ({ _tag }: Failure) =>
  _tag === "ConfigurationError" || _tag === "UsageError" ? "usage" : "failed"

const name = "messaging-topup-mcp"

const startServer = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { environment } = yield* Invocation
  return yield* checkNames(environment).pipe(
    Effect.andThen(
      start({ ...command, name, version: manifest.version, help: usage(), run }, args)
    ),
    Effect.catchTag("UsageError", (error) => Effect.fail(seeHelp(name, error)))
  )
})

export const mcpServer: Program<Failure> = {
  start: startServer,
  explain: (failure) => ({ exit: exitOf(failure), text: failure.message })
}

/** Claude Code stops a server with SIGINT and, 100 ms later, SIGTERM: that is one request to stop. */
const oneStopMillis = 2_000

export const runAsProcess = (): void => {
  // stdout carries the protocol only, so what dependencies print goes to stderr.
  globalThis.console = new Console(process.stderr)
  runMain(mcpServer, oneStopMillis)
}
