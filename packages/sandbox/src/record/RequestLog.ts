/**
 * Records the requests, and waits for requests and disconnects.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { ReceivedRequest } from "./Recorded.ts"
import type { Incoming } from "../http/Incoming.ts"
import { type Limits, type PageQuery, RecentEntries } from "./RecentEntries.ts"
import type { RequestPage } from "./Schemas.ts"
import type { StoredRequest } from "./Stored.ts"
import type { LoggedRequest, Outcome } from "./LoggedRequest.ts"

/** The log entry of a request in flight. Calls after its end are ignored. */
export interface Entry {
  /** The body has arrived. */
  readonly arrived: () => void
  /** Adds to the outcome of the request. */
  readonly became: (outcome: Outcome) => void
  /** The response is complete, or the sandbox closed the connection. */
  readonly finished: () => void
  /** The client disconnected. */
  readonly disconnected: () => void
}

export interface RequestLog {
  /** Adds an entry when the request line and the headers have arrived. `body` fills up later. */
  readonly begin: (incoming: Incoming) => Entry
  /** Oldest first. */
  readonly received: Effect.Effect<ReadonlyArray<ReceivedRequest>>
  readonly awaitReceived: (count: number) => Effect.Effect<ReadonlyArray<ReceivedRequest>>
  readonly nextDisconnect: Effect.Effect<ReceivedRequest>
  /** Newest first. */
  readonly logged: Effect.Effect<ReadonlyArray<LoggedRequest>>
  readonly page: (
    query: PageQuery,
    show: (request: LoggedRequest) => StoredRequest
  ) => Effect.Effect<typeof RequestPage.Type>
  readonly clear: Effect.Effect<void>
}

/** Estimates the memory that a request takes, without its body. */
const bytesOf = ({ headers, url }: Incoming): number =>
  Object.entries(headers).reduce(
    (bytes, [name, value]) => bytes + 2 * (name.length + value.length),
    500 + 2 * url.length
  )

interface Waiter {
  readonly count: number
  readonly deferred: Deferred.Deferred<void>
}

/** Counts the requests that have arrived, and waits for a number of them. */
const makeCounter = () => {
  const waiters = new Set<Waiter>()
  let arrivals = 0
  return {
    count: () => {
      arrivals++
      for (const { count, deferred } of waiters) {
        if (arrivals >= count) Deferred.doneUnsafe(deferred, Effect.void)
      }
    },
    await: (count: number) =>
      Effect.suspend(() => {
        if (arrivals >= count) return Effect.void
        const waiter: Waiter = { count, deferred: Deferred.makeUnsafe() }
        waiters.add(waiter)
        return Effect.ensuring(
          Deferred.await(waiter.deferred),
          Effect.sync(() => waiters.delete(waiter))
        )
      }),
    clear: () => {
      arrivals = 0
    }
  }
}

export const make = Effect.fnUntraced(function* (
  limits: Limits,
  onEnd: (request: LoggedRequest) => void
) {
  const clock = yield* Clock.Clock
  const requests = new RecentEntries<LoggedRequest>(limits)
  const arrivals = makeCounter()
  const disconnects = yield* Queue.sliding<number>(limits.count)

  const received = Effect.sync(() => requests.all().map(({ request }) => request))

  const nextDisconnect: Effect.Effect<ReceivedRequest> = Effect.flatMap(
    Queue.take(disconnects),
    (id) => {
      const logged = requests.get(id)
      return logged === undefined ? nextDisconnect : Effect.succeed(logged.request)
    }
  )

  const log: RequestLog = {
    begin: (incoming) => {
      const { body, headers, method, url } = incoming
      const startedAt = clock.currentTimeMillisUnsafe()
      const logged: LoggedRequest = {
        id: requests.nextNumber,
        startedAt,
        request: { method, url, headers, body: "", disconnected: false },
        outcome: {},
        milliseconds: undefined
      }
      const id = requests.add(logged, bytesOf(incoming))
      let hasArrived = false

      const arrived = () => {
        if (hasArrived) return
        hasArrived = true
        const text = body.text()
        logged.request = { ...logged.request, body: text }
        requests.grow(id, 2 * text.length)
        // A request from before a reset is not counted.
        if (requests.isCounted(id)) arrivals.count()
      }
      const end = () => {
        logged.milliseconds = clock.currentTimeMillisUnsafe() - startedAt
        if (requests.isCounted(id)) onEnd(logged)
      }
      const hasEnded = () => logged.milliseconds !== undefined

      return {
        arrived,
        became: (outcome) => {
          logged.outcome = { ...logged.outcome, ...outcome }
        },
        finished: () => {
          if (!hasEnded()) end()
        },
        disconnected: () => {
          if (hasEnded()) return
          logged.request = { ...logged.request, disconnected: true }
          arrived()
          end()
          if (requests.isCounted(id)) Queue.offerUnsafe(disconnects, id)
        }
      }
    },
    received,
    awaitReceived: (count) => Effect.andThen(arrivals.await(count), received),
    nextDisconnect,
    logged: Effect.sync(() => requests.all().toReversed()),
    page: (query, show) =>
      Effect.sync(() => {
        const { entries, next } = requests.page(query, () => true)
        return {
          requests: entries.map(show),
          ...next,
          kept: requests.size,
          received: requests.total
        }
      }),
    clear: Effect.andThen(
      Effect.sync(() => {
        requests.clear()
        arrivals.clear()
      }),
      Queue.clear(disconnects)
    )
  }
  return log
})
