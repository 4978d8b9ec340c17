/**
 * Runs the command: reads the settings, serves, stops.
 */
import type { ConfigurationError } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { McpServerFactory } from "@modelcontextprotocol/server"
import manifest from "../package.json" with { type: "json" }
import * as ApprovalKey from "./ApprovalKey.ts"
import * as Gatekeeper from "./Gatekeeper.ts"
import { Confirmation } from "./guards/Confirmation.ts"
import { InFlight } from "./guards/InFlight.ts"
import { SendGuard } from "./guards/SendGuard.ts"
import { SendMemory } from "./guards/SendMemory.ts"
import * as Server from "./Server.ts"
import type { Environment } from "./settings/Raw.ts"
import * as Settings from "./settings/Settings.ts"
import type { SettingsError } from "./settings/SettingsError.ts"
import { usage } from "./settings/Usage.ts"
import * as Shutdown from "./Shutdown.ts"
import * as StderrLogger from "./StderrLogger.ts"
import * as Stdio from "./Stdio.ts"
import * as Upstream from "./Upstream.ts"

const printTo = (stream: NodeJS.WriteStream) => (text: string) =>
  Effect.sync(() => {
    stream.write(`${text}\n`)
  })

export interface Invocation {
  readonly args: ReadonlyArray<string>
  readonly environment: Environment
  /** Completes when the process is asked to stop. */
  readonly stop: Effect.Effect<void>
}

const guardLayer = Effect.fnUntraced(function* (guards: Settings.ServeSettings["guards"]) {
  const key = yield* ApprovalKey.read(guards.approvalKeyFile)
  const confirmation = Confirmation.layer({
    mode: guards.confirm,
    within: guards.confirmWithin,
    key
  })
  return SendGuard.layer({ ...guards, key }).pipe(
    Layer.provide(confirmation),
    Layer.provide(SendMemory.layerMemory)
  )
}, Layer.unwrap)

/** What the SDK reports beside an answer. Its words can repeat a message, so only its kind is kept. */
const reporter = Effect.map(Effect.context(), (context) => {
  const log = Effect.runForkWith(context)
  return (error: Error) => {
    log(Effect.annotateLogs(Effect.logWarning("protocol error"), { error: error.name }))
  }
})

const serveStdio = Effect.fnUntraced(function* (
  factory: McpServerFactory,
  stop: Effect.Effect<void>
) {
  const { drain } = yield* InFlight
  const onError = yield* reporter
  yield* Effect.raceFirst(
    Stdio.serve(factory, onError),
    Effect.andThen(stop, Shutdown.drained(drain))
  )
  yield* Shutdown.drained(drain)
})

const serveHttp = Effect.fnUntraced(function* (
  factory: McpServerFactory,
  http: NonNullable<Settings.ServeSettings["http"]>,
  stop: Effect.Effect<void>
) {
  const HttpFront = yield* Effect.promise(() => import("./http/HttpFront.ts"))
  const { drain } = yield* InFlight
  const onError = yield* reporter
  const gate = yield* Gatekeeper.make(http)
  const { url } = yield* HttpFront.serve(factory, {
    ...http,
    ...(gate === undefined ? {} : { gate }),
    drain,
    shutdownGrace: Shutdown.grace,
    onError
  })
  yield* Effect.annotateLogs(Effect.logInfo("listening"), { url })
  yield* stop
})

const serve = (settings: Settings.ServeSettings, { environment, stop }: Invocation) => {
  const { guards, http, sandbox } = settings
  const services = guardLayer(guards).pipe(
    Layer.provideMerge(InFlight.layer),
    Layer.provideMerge(Upstream.layer({ sandbox, environment })),
    Layer.provideMerge(StderrLogger.layer)
  )
  return Effect.gen(function* () {
    const factory = yield* Server.makeFactory(guards)
    if (http === undefined) yield* serveStdio(factory, stop)
    else yield* Effect.scoped(serveHttp(factory, http, stop))
  }).pipe(
    // @effect-diagnostics-next-line strictEffectProvide:off -- this is the entry point
    Effect.provide(services)
  )
}

const command = Effect.fnUntraced(function* (invocation: Invocation) {
  const settings = yield* Settings.read(invocation.args, invocation.environment)
  switch (settings._tag) {
    case "Help":
      return yield* printTo(process.stdout)(usage)
    case "Version":
      return yield* printTo(process.stdout)(manifest.version)
    case "Serve":
      return yield* serve(settings, invocation)
  }
})

const explain =
  (code: number) => (error: ConfigurationError | SettingsError | { readonly message: string }) =>
    Effect.as(printTo(process.stderr)(error.message), code)

/** The exit code: 0, 1 where it could not run, 2 where a setting is wrong. */
export const run = (invocation: Invocation): Effect.Effect<number> =>
  command(invocation).pipe(
    Effect.as(0),
    Effect.catchTags({
      ConfigurationError: explain(2),
      ListenFailed: explain(1),
      SettingsError: explain(2)
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        printTo(process.stderr)(
          `The server failed (${defect instanceof Error ? defect.name : "unknown"}).`
        ),
        1
      )
    )
  )
