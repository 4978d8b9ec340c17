/**
 * The command: reads the settings, and serves until it is asked to stop.
 */
import type { ConfigurationError } from "@messaging-topup/core"
import type { JournalError } from "@messaging-topup/journal"
import { Console } from "node:console"
import { flushCompileCache } from "node:module"
import type { Writable } from "node:stream"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { McpServerFactory } from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import * as Guards from "./Guards.ts"
import { isUnguarded, local } from "./mcp/McpCaller.ts"
import { InFlight } from "./send/InFlight.ts"
import { SendMemory } from "./send/SendMemory.ts"
import { kindOfDefect } from "./send/Text.ts"
import * as Server from "./Server.ts"
import { type Port, type Environment, UsageError } from "@messaging-topup/sandbox/command-line"
import * as ServiceSettings from "./settings/ServiceSettings.ts"
import * as Settings from "./settings/Settings.ts"
import * as StateSettings from "./settings/StateSettings.ts"
import { usage } from "./Options.ts"
import * as StderrLogger from "./StderrLogger.ts"
import { MalformedLine, type Streams } from "./serve/LineTransport.ts"
import * as Stdio from "./serve/Stdio.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as Upstream from "./Upstream.ts"

export interface Invocation extends Streams {
  readonly args: ReadonlyArray<string>
  readonly environment: Environment
  readonly stderr: Writable
  /** Completes when the command is asked to stop. */
  readonly stop: Effect.Effect<void>
}

const printTo = (stream: Writable, text: string) =>
  Effect.sync(() => {
    stream.write(`${text}\n`)
  })

const guardLayer = ({ guards, sandbox, state }: Settings.ServeSettings, environment: Environment) =>
  Layer.unwrap(
    Effect.map(
      sandbox ? Effect.succeed("sandbox") : ServiceSettings.address(environment),
      (service) => {
        const staleAfter = Duration.sum(ServiceSettings.timeout(environment), Duration.seconds(30))
        return Guards.layer({ ...guards, state, service, staleAfter })
      }
    )
  )

/**
 * Logs errors that are not part of a result. Their text could repeat a message, so only their name is
 * logged, and for a line that is no message its number and what is wrong with it.
 */
const errorReporter = Effect.map(Effect.context(), (context) => {
  const log = Effect.runForkWith(context)
  return (error: unknown) => {
    const where = error instanceof MalformedLine ? { line: error.line, problem: error.message } : {}
    const fields = { error: kindOfDefect(error), ...where }
    log(Effect.annotateLogs(Effect.logWarning("protocol error"), fields))
  }
})

const unguardedWarning =
  "first sends go to any number, and this server asks nobody: set --allow-recipients, and let the host ask before send_sms"

/** Warns when the client connects, because only then it says whether it can ask a person. */
const clientObserver = ({ guards, sandbox }: Settings.ServeSettings) =>
  Effect.map(Effect.context(), (context) => {
    const log = Effect.runForkWith(context)
    return (capabilities: unknown) => {
      if (sandbox || !isUnguarded(guards.rulesOf(local), capabilities)) return
      log(Effect.logWarning(unguardedWarning))
    }
  })

const serveStdio = Effect.fnUntraced(function* (
  factory: McpServerFactory,
  settings: Settings.ServeSettings,
  invocation: Invocation
) {
  const { shutdown } = yield* InFlight
  const observer = { onError: yield* errorReporter, onClient: yield* clientObserver(settings) }
  yield* Effect.raceFirst(
    Stdio.serve(factory, invocation, observer),
    Effect.andThen(invocation.stop, shutdown)
  )
  yield* shutdown
})

const serveHttp = Effect.fnUntraced(function* (
  factory: McpServerFactory,
  {
    keys,
    oauth,
    scopes,
    ...http
  }: NonNullable<Settings.ServeSettings["http"]> & {
    readonly scopes: ReadonlyArray<string>
    readonly isReady: Effect.Effect<boolean>
  },
  stop: Effect.Effect<void>
) {
  // Imported here, so that a server on stdio does not load them.
  const HttpServer = yield* Effect.promise(() => import("./serve/http/HttpServer.ts"))
  const Authenticator = yield* Effect.promise(() => import("./serve/http/auth/Authenticator.ts"))
  const { shutdown } = yield* InFlight
  const report = yield* errorReporter
  const { url } = yield* HttpServer.serve(factory, {
    ...http,
    ...(keys === undefined && oauth === undefined
      ? {}
      : { authenticator: yield* Authenticator.make({ keys, oauth, scopes }) }),
    shutdown,
    report
  })
  yield* Effect.annotateLogs(Effect.logInfo("listening"), { url })
  yield* stop
})

/** The exporters are loaded only if a collector is configured. */
const telemetry = (environment: Environment) =>
  Telemetry.isOn(environment)
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./telemetry/Otlp.ts")),
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

/** Over HTTP a restart may be a deploy, and there may be replicas. */
const aboutState = ({ http, sandbox, state }: Settings.ServeSettings) => {
  if (http === undefined || sandbox) return Effect.void
  switch (state._tag) {
    case "Memory":
      return Effect.logWarning(
        "sends, limits and used approvals are in memory: a restart forgets them, and replicas do not share them"
      )
    case "Sqlite":
      return Effect.annotateLogs(
        Effect.logInfo(
          "sends, limits and used approvals are in a file: replicas on other machines share them only with --state postgres"
        ),
        { state: StateSettings.placeOf(state) }
      )
    case "Postgres":
      return Effect.void
  }
}

/**
 * Node writes the compile cache when the process ends, but a host may kill it. By this time, the client has
 * the list of tools.
 */
const keepCompiled = Effect.delay(
  Effect.sync(() => flushCompileCache()),
  "1 second"
)

const serve = (settings: Settings.ServeSettings, invocation: Invocation) => {
  const { guards, http, inbox, sandbox, sends } = settings
  const services = guardLayer(settings, invocation.environment).pipe(
    Layer.provideMerge(InFlight.layer),
    Layer.provideMerge(
      Upstream.layer({ ...guards, sandbox, inbox, environment: invocation.environment })
    ),
    Layer.provideMerge(StderrLogger.layer(invocation.stderr)),
    Layer.provideMerge(telemetry(invocation.environment))
  )
  return Effect.gen(function* () {
    if (sends) yield* aboutState(settings)
    if (inbox)
      yield* Effect.annotateLogs(Effect.logInfo("inbox"), { url: yield* Upstream.InboxUrl })
    yield* Effect.forkChild(keepCompiled)
    const factory = yield* Server.makeFactory(guards)
    const { isReady } = yield* SendMemory
    // Not awaited: without state, reads still work. A state in memory cannot fail.
    if (sends && settings.state._tag !== "Memory") yield* Effect.forkDetach(isReady)
    if (http === undefined) yield* serveStdio(factory, settings, invocation)
    else {
      const { scopes } = guards
      const ready = sends ? isReady : Effect.succeed(true)
      yield* Effect.scoped(serveHttp(factory, { ...http, scopes, isReady: ready }, invocation.stop))
    }
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(services)
  )
}

const command = Effect.fnUntraced(function* (invocation: Invocation) {
  const settings = yield* Settings.read(invocation.args, invocation.environment)
  switch (settings._tag) {
    case "Help":
      yield* printTo(invocation.stdout, usage())
      break
    case "Version":
      yield* printTo(invocation.stdout, manifest.version)
      break
    case "Sends":
    case "Resolve":
    case "Prune": {
      const SendsCommand = yield* Effect.promise(() => import("./SendsCommand.ts"))
      const { code, text } = yield* SendsCommand.run(settings)
      yield* printTo(invocation.stdout, text)
      return code
    }
    case "Serve":
      yield* serve(settings, invocation)
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
