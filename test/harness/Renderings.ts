/**
 * Every way to turn a value, a failure or an observed call into text.
 */
import * as Cause from "effect/Cause"
import * as EffectConsole from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Formatter from "effect/Formatter"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import { Console } from "node:console"
import { Writable } from "node:stream"
import { format, inspect } from "node:util"
import { expect } from "vitest"

export type Renderings = Readonly<Record<string, string>>

const plain = (value: unknown): string => inspect(value, { customInspect: false, depth: 12 })

const named = (prefix: string, texts: Renderings): Renderings =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${prefix}: ${name}`, text]))

const merged = (all: ReadonlyArray<Renderings>): Renderings =>
  Object.fromEntries(all.flatMap((each) => Object.entries(each)))

const printed = (value: unknown): Renderings => ({
  String: String(value),
  "JSON.stringify": JSON.stringify({ value }),
  inspect: inspect(value),
  "inspect without custom inspection": plain(value),
  "format %s": format("%s", value),
  "format %O": format("%O", value),
  "format %j": format("%j", value),
  "Effect's format": Formatter.format(value),
  "Effect's formatJson": Formatter.formatJson({ value }),
  ...(value instanceof Error
    ? { message: value.message, stack: String(value.stack), name: value.name }
    : {})
})

const capturingConsole = () => {
  let text = ""
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk)
      done()
    }
  })
  return { console: new Console({ stdout: stream, stderr: stream }), text: () => text }
}

const formats: Readonly<Record<string, Logger.Logger<unknown, string>>> = {
  simple: Logger.formatSimple,
  logfmt: Logger.formatLogFmt,
  json: Logger.formatJson,
  structured: Logger.map(Logger.formatStructured, plain)
}

const consoles: Readonly<Record<string, Logger.Logger<unknown, void>>> = {
  default: Logger.defaultLogger,
  "console pretty": Logger.consolePretty({ mode: "tty", colors: false }),
  "console pretty for browsers": Logger.consolePretty({ mode: "browser", colors: false }),
  "console structured": Logger.consoleStructured
}

const loggedBy = (
  logger: Logger.Logger<unknown, void>,
  write: Effect.Effect<void>,
  console: EffectConsole.Console
): void =>
  Effect.runSync(
    write.pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(EffectConsole.Console, console),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
  )

/** The value in every logger of Effect: as a message, a cause and an annotation. */
const logged = (value: unknown, cause: Cause.Cause<unknown>): Renderings => {
  const texts: Record<string, string> = {}
  const write = Effect.logError("A call ended", value, cause).pipe(Effect.annotateLogs({ value }))
  for (const [name, logger] of Object.entries(formats)) {
    const keep = Logger.map(logger, (line) => {
      texts[`log ${name}`] = line
    })
    loggedBy(keep, write, console)
  }
  for (const [name, logger] of Object.entries(consoles)) {
    const { console, text } = capturingConsole()
    loggedBy(logger, write, console)
    texts[`log ${name}`] = text()
  }
  return texts
}

/** A tracer that keeps its spans. */
const keepSpans = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, tracer }
}

const spanTexts = (span: Tracer.NativeSpan): Renderings => ({
  span: plain(span),
  "span attributes": plain([...span.attributes]),
  "span events": plain(span.events),
  "span status": plain(span.status)
})

/** The value in the span around a call: in its status, and in the event of a log. */
const traced = (value: unknown, cause: Cause.Cause<unknown>): Renderings => {
  const { spans, tracer } = keepSpans()
  Effect.runSync(
    Effect.logError("A call ended", value, cause).pipe(
      Effect.andThen(Effect.failCause(cause)),
      Effect.withSpan("caller"),
      Effect.exit,
      Effect.provide(Logger.layer([Logger.tracerLogger])),
      Effect.provideService(Tracer.Tracer, tracer)
    )
  )
  return merged(
    spans.map(({ events, status }) => ({
      "span events": plain(events),
      "span status": plain(status)
    }))
  )
}

const valuesOf = (cause: Cause.Cause<unknown>): Readonly<Record<string, unknown>> => ({
  Cause: cause,
  Exit: Exit.failCause(cause),
  "what a promise rejects with": Cause.squash(cause),
  ...Object.fromEntries(
    cause.reasons.map((reason, index) => [
      `reason ${index}`,
      Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : reason
    ])
  ),
  ...Object.fromEntries(Cause.prettyErrors(cause).map((error, index) => [`error ${index}`, error]))
})

const valuesIn = (value: unknown): Readonly<Record<string, unknown>> =>
  Exit.isExit(value) && Exit.isFailure(value)
    ? valuesOf(value.cause)
    : { value, ...valuesOf(Cause.fail(value)) }

/** Every rendering of a value, alone and as the failure of an effect, or of a failed exit. */
export const renderings = (value: unknown): Renderings => {
  const cause = Exit.isExit(value) && Exit.isFailure(value) ? value.cause : Cause.fail(value)
  return {
    ...merged(Object.entries(valuesIn(value)).map(([name, inner]) => named(name, printed(inner)))),
    "Cause.pretty": Cause.pretty(cause),
    ...logged(value, cause),
    ...traced(value, cause)
  }
}

/** The renderings that also show properties that are not enumerable. */
export const renderingsWithHidden = (value: unknown): Renderings =>
  merged(
    Object.entries(valuesIn(value)).map(([name, inner]) =>
      named(name, {
        "format %o": format("%o", inner),
        "inspect with hidden properties": inspect(inner, { showHidden: true, depth: 12 }),
        "inspect with hidden properties, without custom inspection": inspect(inner, {
          showHidden: true,
          customInspect: false,
          depth: 12
        })
      })
    )
  )

/** The renderings that contain one of the words, and those that are empty. */
export const suspects = (texts: Renderings, words: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.entries(texts).flatMap(([name, rendering]) => [
    ...(rendering.trim() === "" ? [`${name} is empty`] : []),
    ...words.filter((word) => rendering.includes(word)).map((word) => `${name} shows ${word}`)
  ])

/** Returns a function that expects no rendering of a value to show the words, and none at all the secrets. */
export const expectNothingShown =
  (words: ReadonlyArray<string>, secrets: ReadonlyArray<string> = words) =>
  (value: unknown, what?: string): void => {
    expect(suspects(renderings(value), words), what).toEqual([])
    expect(suspects(renderingsWithHidden(value), secrets), what).toEqual([])
  }

/** Runs a call and keeps its spans, metrics and logs. */
export const observed = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { spans, tracer } = keepSpans()
    const registry: Metric.MetricRegistry = new Map()
    const { console, text } = capturingConsole()
    const exit = yield* call.pipe(
      Effect.exit,
      Effect.provide(Logger.layer([Logger.consoleStructured, Logger.tracerLogger])),
      Effect.provideService(EffectConsole.Console, console),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provideService(Metric.MetricRegistry, registry)
    )
    const inRegistry = Effect.provideService(Metric.MetricRegistry, registry)
    const metrics = yield* inRegistry(Metric.snapshot)
    const texts: Renderings = {
      "metric snapshot": plain(metrics),
      // The dump of no metrics is empty.
      ...(metrics.length === 0 ? {} : { "metric dump": yield* inRegistry(Metric.dump) }),
      ...merged(spans.map((span, index) => named(`span ${index} of the call`, spanTexts(span))))
    }
    return { exit, spans, metrics, logs: text(), texts }
  })
