/** The requests to the five endpoints. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Incoming } from "../http/Body.ts"
import type { Handling } from "../http/Handling.ts"
import type { StoredRequest } from "../Types.ts"
import type { Changes } from "./Changes.ts"
import { Newest, type PageQuery } from "./Newest.ts"

/** A request in flight. */
export interface InFlight extends Handling {
  /** The response is complete, or one side closed the connection. */
  readonly ended: (disconnected: boolean) => void
}

/** `onEnd` gets each request that has ended. */
export const make = Effect.fnUntraced(function* (
  maximum: number,
  changes: Changes,
  onEnd: (request: StoredRequest) => void
) {
  const clock = yield* Clock.Clock
  const requests = new Newest<StoredRequest>(maximum)

  return {
    /** Adds the request when its body has arrived, or its client has disconnected. */
    begin: ({ body, method, url }: Incoming): InFlight => {
      const startedAt = clock.currentTimeMillisUnsafe()
      let request: StoredRequest | undefined

      const write = (change: Partial<StoredRequest>): StoredRequest => {
        if (request === undefined) {
          request = {
            id: requests.nextNumber,
            time: DateTime.formatIso(DateTime.makeUnsafe(startedAt)),
            method,
            path: url,
            body: body.text(),
            disconnected: false,
            ...change
          }
          requests.add(request)
        } else {
          request = { ...request, ...change }
          requests.replace(request.id, request)
        }
        changes.bump()
        return request
      }

      return {
        get got() {
          return request ?? {}
        },
        keep: (more) => void write(more),
        ended: (disconnected) => {
          const milliseconds = clock.currentTimeMillisUnsafe() - startedAt
          const ended = write({ disconnected, milliseconds })
          // One from before a reset is no longer kept.
          if (requests.get(ended.id) === ended) onEnd(ended)
        }
      }
    },
    /** Newest first. */
    all: () => requests.all(),
    page: (query: PageQuery) => {
      const { entries, next } = requests.page(query, () => true)
      const { kept, total } = requests.counts
      return { requests: entries, ...next, kept, received: total }
    },
    /** How many are kept, and how many there were. */
    counts: () => requests.counts,
    clear: () => requests.clear()
  }
})
