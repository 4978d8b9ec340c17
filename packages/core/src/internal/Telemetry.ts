/**
 * One span, one count and one duration an operation.
 *
 * Attributes follow the OpenTelemetry conventions for HTTP clients, without `url.full`: paths hold
 * ids. Nothing here repeats an id, a number, a text or the token.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"
import type { Operation } from "./Operation.ts"

type Attributes = { readonly [key: string]: string }

// Attributes that a metric is made with cost nothing a call; Metric.withAttributes makes a context.
const operations = (attributes: Attributes) =>
  Metric.counter("messaging_topup.client.operations", {
    description: "Operations that ended, by operation and outcome",
    incremental: true,
    attributes
  })

const durations = (attributes: Attributes) =>
  Metric.histogram("messaging_topup.client.operation.duration", {
    description: "Duration of operations in seconds, retries included, by operation and outcome",
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30],
    attributes
  })

const operationKey = "messaging_topup.operation"
const outcomeKey = "messaging_topup.outcome"

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") ? String(error._tag) : "unknown"

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return "success"
  if (Cause.hasInterrupts(exit.cause)) return "interrupted"
  return Option.match(Cause.findErrorOption(exit.cause), { onNone: () => "defect", onSome: tagOf })
}

type Record = (outcome: string, seconds: number) => Effect.Effect<void>

const recorder = (operation: string): Record => {
  const series = new Map<string, (seconds: number) => Effect.Effect<void>>()
  const open = (outcome: string) => {
    const attributes = { [operationKey]: operation, [outcomeKey]: outcome }
    const counter = operations(attributes)
    const histogram = durations(attributes)
    return (seconds: number) =>
      Effect.andThen(Metric.update(counter, 1), Metric.update(histogram, seconds))
  }
  return (outcome, seconds) => {
    let record = series.get(outcome)
    if (record === undefined) series.set(outcome, (record = open(outcome)))
    return record(seconds)
  }
}

export type Observe = <A, E>(run: (span: Tracer.Span) => Effect.Effect<A, E>) => Effect.Effect<A, E>

const nanosASecond = 1e9

export const observer = ({ method, name, route }: Operation, server: URL): Observe => {
  const record = recorder(name)
  const attributes = {
    [operationKey]: name,
    "http.request.method": method,
    "url.template": route,
    "server.address": server.hostname,
    "server.port":
      server.port === "" ? (server.protocol === "https:" ? 443 : 80) : Number(server.port)
  }
  return (run) =>
    Effect.useSpan(name, { kind: "client", attributes }, (span) =>
      Clock.clockWith((clock) => {
        const start = clock.monotonicTimeNanosUnsafe()
        return Effect.onExit(run(span), (exit) => {
          const outcome = outcomeOf(exit)
          span.attribute(outcomeKey, outcome)
          if (outcome !== "success") span.attribute("error.type", outcome)
          return record(outcome, Number(clock.monotonicTimeNanosUnsafe() - start) / nanosASecond)
        })
      })
    )
}
