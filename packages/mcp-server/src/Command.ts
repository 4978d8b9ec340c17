/** The command: reads the options, and serves until it is asked to stop. */
import type { ConfigurationError } from "@messaging-topup/core"
import type { JournalError } from "@messaging-topup/journal"
import { Console } from "node:console"
import { flushCompileCache } from "node:module"
import type { Writable } from "node:stream"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import manifest from "../package.json" with { type: "json" }
import type * as McpCaller from "./mcp/McpCaller.ts"
import { InFlight } from "./send/InFlight.ts"
import { Sender } from "./send/Sender.ts"
import { Journal } from "./send/Journal.ts"
import { kindOfDefect } from "./send/Text.ts"
import * as Server from "./Server.ts"
import {
  endOfNpx,
  type Environment,
  type Port,
  UsageError
} from "@messaging-topup/sandbox/command-line"
import type { HttpSettings } from "./settings/HttpSettings.ts"
import * as Settings from "./settings/Settings.ts"
import { parse, usage } from "./Options.ts"
import * as StderrLogger from "./StderrLogger.ts"
import * as Stdio from "./serve/Stdio.ts"
import { scopes } from "./tools/Tool.ts"
import * as Upstream from "./Upstream.ts"

export interface Invocation extends Stdio.Streams {
  readonly args: ReadonlyArray<string>
  readonly environment: Environment
  readonly stderr: Writable
  /** Completes when the command is asked to stop. */
  readonly stop: Effect.Effect<void>
}

const printTo = (stream: Writable, ...lines: ReadonlyArray<string>) =>
  Effect.sync(() => {
    for (const line of lines) stream.write(`${line}\n`)
  })

const guards = ({ journal, rules, service }: Settings.Settings) =>
  Sender.layer({ rules, service: service?.address ?? "sandbox" }).pipe(
    Layer.provideMerge(Journal.layer({ location: journal, window: rules.duplicateWindow })),
    Layer.provideMerge(InFlight.layer)
  )

/**
 * Logs errors that are not part of a result. Their text could repeat a message, so only their name is
 * logged.
 */
const errorReporter = Effect.map(Effect.context(), (context) => {
  const log = Effect.runForkWith(context)
  return (error: unknown) => {
    log(Effect.logWarning("protocol error", { error: kindOfDefect(error) }))
  }
})

const serveStdio = Effect.fnUntraced(function* (
  factoryFor: McpCaller.FactoryFor,
  invocation: Invocation
) {
  const { shutdown } = yield* InFlight
  const report = yield* errorReporter
  yield* Effect.raceFirst(
    Stdio.serve(factoryFor, invocation, report),
    Effect.andThen(invocation.stop, shutdown)
  )
  yield* shutdown
})

const serveHttp = Effect.fnUntraced(function* (
  factoryFor: McpCaller.FactoryFor,
  { keys, oauth, ...address }: HttpSettings,
  canSend: boolean,
  stop: Effect.Effect<unknown>
) {
  // Imported here, so that a server on stdio does not load them.
  const HttpServer = yield* Effect.promise(() => import("./serve/http/HttpServer.ts"))
  const Authenticator = yield* Effect.promise(() => import("./serve/http/Authenticator.ts"))
  const { shutdown } = yield* InFlight
  const { isReady } = yield* Journal
  const needed = canSend ? [scopes.read, scopes.send] : [scopes.read]
  const { url } = yield* HttpServer.serve(factoryFor, {
    ...address,
    authenticator:
      keys === undefined && oauth === undefined
        ? undefined
        : yield* Authenticator.make({ keys, oauth, scopes: needed }),
    isReady: canSend ? isReady : Effect.succeed(true),
    shutdown,
    report: yield* errorReporter
  })
  yield* Effect.logInfo("listening", { url })
  yield* stop
}, Effect.scoped)

const collectors = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
]

/** The exporters are loaded only if a collector is configured. */
const telemetry = (environment: Environment) =>
  collectors.some((name) => (environment[name] ?? "") !== "")
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./Otlp.ts")),
          (Otlp) => Otlp.layer(environment)
        )
      ).pipe(
        Layer.catchCause((cause) =>
          Layer.effectDiscard(Effect.fail(wrongVariables(Cause.pretty(cause))))
        )
      )
    : Layer.empty

/** Names the variables, and never shows their values. */
const wrongVariables = (problem: string): UsageError => {
  const names = new Set(problem.match(/OTEL_[A-Z_]+/g))
  return new UsageError({
    problem: `${[...names].join(", ") || "OTEL_*"}: the value is invalid`
  })
}

/**
 * Node writes the compile cache when the process ends, but a host may kill it. By this time, the client has
 * the list of tools.
 */
const keepCompiled = Effect.delay(
  Effect.sync(() => flushCompileCache()),
  "1 second"
)

const serve = (settings: Settings.Settings, invocation: Invocation) => {
  const { approvalKey, http, inbox, journal, rules, service } = settings
  const stop = Effect.raceFirst(invocation.stop, endOfNpx(invocation.environment))
  const services = guards(settings).pipe(
    Layer.provideMerge(Upstream.layer(service, inbox)),
    Layer.provideMerge(StderrLogger.layer(invocation.stderr)),
    Layer.provideMerge(telemetry(invocation.environment))
  )
  return Effect.gen(function* () {
    if (inbox) yield* Effect.logInfo("inbox", { url: yield* Upstream.InboxUrl })
    yield* Effect.forkChild(keepCompiled)
    const factoryFor = yield* Server.makeFactory(approvalKey)
    const { isReady } = yield* Journal
    // Not awaited: without a journal, reads still work. One in memory cannot fail.
    if (rules.canSend && journal._tag !== "Memory") yield* Effect.forkDetach(isReady)
    yield* http === undefined
      ? serveStdio(factoryFor, invocation)
      : serveHttp(factoryFor, http, rules.canSend, stop)
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(services)
  )
}

const command = Effect.fnUntraced(function* (invocation: Invocation) {
  const { args, environment, stdout } = invocation
  const given = yield* parse(args, environment)
  if (yield* given.value("help")) {
    yield* printTo(stdout, usage())
  } else if (yield* given.value("version")) {
    yield* printTo(stdout, manifest.version)
  } else if (given.rest.length > 0) {
    const SendsCommand = yield* Effect.promise(() => import("./SendsCommand.ts"))
    const { code, lines } = yield* SendsCommand.run(given, environment)
    yield* printTo(stdout, ...lines)
    return code
  } else {
    yield* serve(yield* Settings.read(given, environment), invocation)
  }
  return 0
})

/** Returns the exit code: 0; 1 if it cannot listen or fails; 2 for a wrong setting. */
export const run = (invocation: Invocation): Effect.Effect<number> => {
  const explain =
    (code: number) =>
    ({ message }: ConfigurationError | JournalError | Port.ListenFailed) =>
      Effect.as(printTo(invocation.stderr, message), code)
  return command(invocation).pipe(
    Effect.catchTags({
      JournalLocked: explain(1),
      JournalUnavailable: explain(1),
      ConfigurationError: explain(2),
      ListenFailed: explain(1),
      UsageError: ({ problem }) =>
        Effect.as(printTo(invocation.stderr, `${problem}\nSee messaging-topup-mcp --help`), 2)
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        printTo(
          invocation.stderr,
          `The server failed (${defect instanceof Error ? defect.name : "unknown"}).`
        ),
        1
      )
    )
  )
}

/** Claude Code stops a server with SIGINT and, 100 ms later, SIGTERM: that is one request to stop. */
const oneStopMillis = 2_000

/** Runs the command as this process: its arguments, environment, streams and signals. */
export const main = (): void => {
  // stdout carries the protocol only, so what dependencies print goes to stderr.
  globalThis.console = new Console(process.stderr)

  // A closed log, or a client that is gone, does not stop the server.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})

  const stop = Deferred.makeUnsafe<void>()
  let stoppedAt = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    if (Deferred.doneUnsafe(stop, Effect.void)) stoppedAt = performance.now()
    else if (performance.now() - stoppedAt > oneStopMillis) process.kill(process.pid, signal)
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // The handler runs once: a second signal of the same kind ends the process at once.
    process.once(signal, onSignal)
  }

  const fiber = Effect.runFork(
    run({
      args: process.argv.slice(2),
      environment: process.env,
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      stop: Deferred.await(stop)
    })
  )
  fiber.addObserver((exit) => {
    process.exitCode = exit._tag === "Success" ? exit.value : 1
  })
}
