/**
 * Records the requests, shows them as the control endpoints do, and waits for requests and
 * disconnects.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Incoming } from "../http/Incoming.ts"
import { Arrivals } from "./Arrivals.ts"
import { type Limits, type PageQuery, RecentEntries } from "./RecentEntries.ts"
import type { ReceivedRequest } from "./Recorded.ts"
import type { RequestPage } from "./Schemas.ts"
import type { StoredRequest } from "./Stored.ts"
import type { Redact } from "./TokenRedaction.ts"

type Outcome = Pick<StoredRequest, "status" | "refusal" | "fault" | "message_id">

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
  readonly stored: Effect.Effect<ReadonlyArray<StoredRequest>>
  readonly page: (query: PageQuery) => Effect.Effect<typeof RequestPage.Type>
  readonly clear: Effect.Effect<void>
}

interface LoggedRequest {
  readonly id: number
  /** The time when the headers arrived. */
  readonly startedAt: number
  request: ReceivedRequest
  outcome: Outcome
  /** The duration, once the request has ended. */
  milliseconds: number | undefined
}

/** Estimates the memory that a request takes, without its body. */
const bytesOf = ({ headers, url }: Incoming): number =>
  Object.entries(headers).reduce(
    (bytes, [name, value]) => bytes + 2 * (name.length + value.length),
    500 + 2 * url.length
  )

const shownBody = 64 * 1024

/** A refusal may repeat a long id. The path has the whole id. */
const shownRefusal = 500

/** `onEnd` gets a function, so that a request is shown only if somebody wants to see it. */
export const make = Effect.fnUntraced(function* (
  limits: Limits,
  redact: Redact,
  onEnd: (show: () => StoredRequest) => void
) {
  const clock = yield* Clock.Clock
  const requests = new RecentEntries<LoggedRequest>(limits)
  const disconnects: Array<number> = []
  let arrivals = 0

  /** Requests and disconnects. */
  const changes = new Arrivals()

  const show = ({ id, milliseconds, outcome, request, startedAt }: LoggedRequest) => {
    const stored: StoredRequest = {
      id,
      time: DateTime.formatIso(DateTime.makeUnsafe(startedAt)),
      method: request.method,
      path: redact(request.url),
      body: redact(request.body, shownBody),
      ...outcome,
      ...(outcome.refusal === undefined ? {} : { refusal: redact(outcome.refusal, shownRefusal) }),
      disconnected: request.disconnected,
      ...(milliseconds === undefined ? {} : { milliseconds })
    }
    return stored
  }

  const received = Effect.sync(() => requests.all().map(({ request }) => request))

  const awaitReceived: RequestLog["awaitReceived"] = (count) =>
    Effect.suspend(() =>
      arrivals >= count ? received : Effect.andThen(changes.next, awaitReceived(count))
    )

  const nextDisconnect: RequestLog["nextDisconnect"] = Effect.suspend(() => {
    const id = disconnects.shift()
    if (id === undefined) return Effect.andThen(changes.next, nextDisconnect)
    const logged = requests.get(id)
    return logged === undefined ? nextDisconnect : Effect.succeed(logged.request)
  })

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
        if (!requests.isCounted(id)) return
        arrivals++
        changes.wake()
      }
      const end = () => {
        logged.milliseconds = clock.currentTimeMillisUnsafe() - startedAt
        if (requests.isCounted(id)) onEnd(() => show(logged))
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
          if (!requests.isCounted(id)) return
          // An older one is no longer kept.
          if (disconnects.push(id) > limits.count) disconnects.shift()
          changes.wake()
        }
      }
    },
    received,
    awaitReceived,
    nextDisconnect,
    stored: Effect.sync(() => requests.all().toReversed().map(show)),
    page: (query) =>
      Effect.sync(() => {
        const { entries, next } = requests.page(query, () => true)
        return {
          requests: entries.map(show),
          ...next,
          kept: requests.size,
          received: requests.total
        }
      }),
    clear: Effect.sync(() => {
      requests.clear()
      disconnects.length = 0
      arrivals = 0
    })
  }
  return log
})
