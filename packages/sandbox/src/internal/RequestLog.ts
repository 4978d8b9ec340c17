/**
 * The requests that arrived, and who waits for them.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { ReceivedRequest } from "../Recorded.ts"
import type { Incoming } from "./Incoming.ts"

/** One request on its way. Whatever is said after its end is ignored. */
export interface Entry {
  /** Its body has arrived. */
  readonly arrived: () => void
  /** Its response is complete, or the sandbox itself broke the connection. */
  readonly finished: () => void
  /** The client went away. */
  readonly disconnected: () => void
}

interface Waiter {
  readonly count: number
  readonly deferred: Deferred.Deferred<void>
}

export interface RequestLog {
  /** The request line and the headers are there; `body` will hold the rest. */
  readonly begin: (incoming: Incoming) => Entry
  readonly received: Effect.Effect<ReadonlyArray<ReceivedRequest>>
  readonly awaitReceived: (count: number) => Effect.Effect<ReadonlyArray<ReceivedRequest>>
  readonly nextDisconnect: Effect.Effect<ReceivedRequest>
  readonly reset: Effect.Effect<void>
}

export const make: Effect.Effect<RequestLog> = Effect.gen(function* () {
  const disconnects = yield* Queue.unbounded<ReceivedRequest>()
  const waiters = new Set<Waiter>()
  let requests: Array<ReceivedRequest> = []
  let arrivals = 0

  const countArrival = () => {
    arrivals++
    for (const { count, deferred } of waiters) {
      if (arrivals >= count) Deferred.doneUnsafe(deferred, Effect.void)
    }
  }

  const received = Effect.sync(() => requests.slice())

  return {
    begin: ({ body, headers, method, url }) => {
      const generation = requests
      const index = requests.length
      let request: ReceivedRequest = { method, url, headers, body: "", disconnected: false }
      let hasArrived = false
      let ended = false
      requests.push(request)

      const update = (change: Partial<ReceivedRequest>) => {
        request = { ...request, ...change }
        generation[index] = request
      }
      const arrived = () => {
        if (hasArrived) return
        hasArrived = true
        update({ body: body.text() })
        // A request from before a reset counts no more.
        if (generation === requests) countArrival()
      }

      return {
        arrived,
        finished: () => {
          ended = true
        },
        disconnected: () => {
          if (ended) return
          ended = true
          update({ disconnected: true })
          arrived()
          if (generation === requests) Queue.offerUnsafe(disconnects, request)
        }
      }
    },
    received,
    awaitReceived: (count) =>
      Effect.suspend(() => {
        if (arrivals >= count) return received
        const waiter: Waiter = { count, deferred: Deferred.makeUnsafe() }
        waiters.add(waiter)
        return Deferred.await(waiter.deferred).pipe(
          Effect.andThen(received),
          Effect.ensuring(Effect.sync(() => waiters.delete(waiter)))
        )
      }),
    nextDisconnect: Queue.take(disconnects),
    reset: Effect.andThen(
      Effect.sync(() => {
        requests = []
        arrivals = 0
      }),
      Queue.clear(disconnects)
    )
  }
})
