/**
 * The requests that arrived, and who waits for them.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { StoredRequest } from "../control/Model.ts"
import type { RequestPage } from "../control/Pages.ts"
import type { ReceivedRequest } from "../Recorded.ts"
import * as Arrivals from "./Arrivals.ts"
import type { Incoming } from "./Incoming.ts"
import { Kept, type Limits } from "./Kept.ts"
import type { LoggedRequest, Outcome } from "./LoggedRequest.ts"
import { type PageQuery, pageOf } from "./PageQuery.ts"

/** One request on its way. Whatever is said after its end is ignored. */
export interface Entry {
  /** Its body has arrived. */
  readonly arrived: () => void
  /** More is known of what becomes of it. */
  readonly became: (outcome: Outcome) => void
  /** Its response is complete, or the sandbox itself broke the connection. */
  readonly finished: () => void
  /** The client went away. */
  readonly disconnected: () => void
}

export interface RequestLog {
  /** The request line and the headers are there; `body` will hold the rest. */
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
  ) => Effect.Effect<RequestPage>
  readonly clear: Effect.Effect<void>
}

/** About what it takes in memory, without its body. */
const bytesOf = ({ headers, url }: Incoming): number =>
  Object.entries(headers).reduce(
    (bytes, [name, value]) => bytes + 2 * (name.length + value.length),
    500 + 2 * url.length
  )

export const make = Effect.fnUntraced(function* (
  limits: Limits,
  onEnd: (request: LoggedRequest) => void
) {
  const clock = yield* Clock.Clock
  const requests = new Kept<LoggedRequest>(limits)
  const arrivals = Arrivals.make()
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
        // A request from before a reset counts no more.
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
        const { entries, next } = pageOf(requests, query, () => true)
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
