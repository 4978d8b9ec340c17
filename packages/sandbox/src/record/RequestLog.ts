/**
 * Records the requests, as the control endpoints show them.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Incoming } from "../http/Incoming.ts"
import type { Arrivals } from "./Arrivals.ts"
import { type Limits, type PageQuery, RecentEntries } from "./RecentEntries.ts"
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
  /** Adds an entry when the body has arrived, or the client has disconnected. */
  readonly begin: (incoming: Incoming) => Entry
  /** Newest first. */
  readonly stored: Effect.Effect<ReadonlyArray<StoredRequest>>
  readonly page: (query: PageQuery) => Effect.Effect<typeof RequestPage.Type>
  readonly clear: Effect.Effect<void>
}

interface Logged {
  shown: StoredRequest
}

/** Estimates the memory that a request takes. */
const bytesOf = ({ body, path }: StoredRequest): number => 500 + 2 * (path.length + body.length)

const shownBody = 64 * 1024

/** A refusal may repeat a long id. The path has the whole id. */
const shownRefusal = 500

export const make = Effect.fnUntraced(function* (
  limits: Limits,
  arrivals: Arrivals,
  redact: Redact,
  onEnd: (request: StoredRequest) => void
) {
  const clock = yield* Clock.Clock
  const requests = new RecentEntries<Logged>(limits)

  const log: RequestLog = {
    begin: ({ body, method, url }) => {
      const startedAt = clock.currentTimeMillisUnsafe()
      let logged: Logged | undefined
      let hasEnded = false

      const show = (change: Partial<StoredRequest>) => {
        if (logged === undefined) {
          const shown: StoredRequest = {
            id: requests.nextNumber,
            time: DateTime.formatIso(DateTime.makeUnsafe(startedAt)),
            method,
            path: redact(url),
            body: redact(body.text(), shownBody),
            disconnected: false,
            ...change
          }
          logged = { shown }
          requests.add(logged, bytesOf(shown))
        } else {
          logged.shown = { ...logged.shown, ...change }
        }
        arrivals.wake()
        return logged.shown
      }
      const end = (disconnected: boolean) => {
        if (hasEnded) return
        hasEnded = true
        const milliseconds = clock.currentTimeMillisUnsafe() - startedAt
        const shown = show({ disconnected, milliseconds })
        if (requests.isCounted(shown.id)) onEnd(shown)
      }

      return {
        arrived: () => void show({}),
        became: ({ refusal, ...outcome }) =>
          void show(
            refusal === undefined ? outcome : { ...outcome, refusal: redact(refusal, shownRefusal) }
          ),
        finished: () => end(false),
        disconnected: () => end(true)
      }
    },
    stored: Effect.sync(() =>
      requests
        .all()
        .toReversed()
        .map(({ shown }) => shown)
    ),
    page: (query) =>
      Effect.sync(() => {
        const { entries, next } = requests.page(query, () => true)
        return {
          requests: entries.map(({ shown }) => shown),
          ...next,
          kept: requests.size,
          received: requests.total
        }
      }),
    clear: Effect.sync(() => requests.clear())
  }
  return log
})
