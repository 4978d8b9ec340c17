/**
 * Rows to send. The last digit of each recipient keeps the sandbox from forcing a failure.
 */
import {
  type Row,
  sendMany,
  type SendManyEvent,
  type SendManyOptions
} from "@messaging-topup/journal"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { setImmediate } from "node:timers/promises"

export const rowOf = (index: number, end = "7", message = `Hello ${index}`): Row => ({
  key: `k${index}`,
  request: { recipient: `+1555${1000 + index}${end}`, message }
})

export const rows = (count: number, message?: string): Stream.Stream<Row> =>
  Stream.map(Stream.range(0, count - 1), (index) => rowOf(index, "7", message))

/** The result of sending no rows. */
export const none = {
  sent: 0,
  rejected: 0,
  unknown: 0,
  closed: 0,
  changed: 0,
  repeated: 0,
  inFlight: 0,
  notSent: 0
}

/** Sends the campaign "c", and returns the result with the events. */
export const send = <E, R>(
  given: Stream.Stream<Row, E, R>,
  options: Partial<SendManyOptions> = {}
) => {
  const events = new Array<SendManyEvent>()
  const onEvent = (event: SendManyEvent) => Effect.sync(() => events.push(event))
  return Effect.map(sendMany(given, { campaign: "c", onEvent, ...options }), (result) => ({
    ...result,
    events
  }))
}

/** What the journal says of the campaign "c". */
export const counts = Effect.flatMap(SendJournal, ({ campaigns }) => campaigns.counts("c"))

/** Waits for requests in the sandbox, which run on promises, before more time passes. */
export const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
})

/** Lets time pass in steps of 100 milliseconds. */
export const pass = Effect.fnUntraced(function* (seconds: number) {
  for (let step = 0; step < seconds * 10; step++) {
    yield* settled
    yield* TestClock.adjust("100 millis")
  }
  yield* settled
})

/** Lets time pass until the fiber ends. */
export const passUntilOver = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) yield* pass(1)
  return yield* Fiber.join(fiber)
})

/** Runs to the end, with as much time as it needs. */
export const inTestTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkChild(effect), passUntilOver)
