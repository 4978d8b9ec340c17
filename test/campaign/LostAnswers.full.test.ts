/** PostgreSQL writes what a run says, and the answer is lost. */
import { expect, it } from "@effect/vitest"
import { MessagingTopup, UndocumentedStatus } from "@messaging-topup/core"
import { layer } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rows, send } from "../harness/campaign/Rows.ts"
import { acceptance } from "../harness/Contract.ts"
import { postgresProxy } from "../harness/journal/PostgresProxy.ts"
import { postgres, urlOf } from "../harness/journal/PostgresServer.ts"

const onPostgres = postgres()

/** The outcome of the first is unknown, and the second leaves nothing. */
const ends = [503, 429].map((status) =>
  Effect.fail(
    new UndocumentedStatus({ operation: "sendSms", status, body: "", retryAfterSeconds: 0 })
  )
)

it(
  "each answer to a write of a run is lost, and each row is sent once, also after 503 and 429",
  onPostgres((server) =>
    Effect.gen(function* () {
      const proxy = yield* postgresProxy(server.port)
      let requests = 0
      const sendSms = () => ends[requests++ - 1] ?? Effect.succeed(acceptance)
      const service = Layer.mock(MessagingTopup, { sendSms, timeoutMillis: 30_000 })
      let writes = 0
      proxy.cut((statement) => {
        if (!statement.startsWith("with settings")) return undefined
        // It is repeated, and the repetition is answered.
        writes += 1
        return writes % 2 === 1 ? "after" : undefined
      })
      const running = send(rows(5), { concurrency: 1 })
      const {
        events,
        rows: found,
        stop
      } = yield* Effect.provide(running, [layer(urlOf(proxy.port)), service])
      expect(stop).toBeUndefined()
      expect(events.filter(({ _tag }) => _tag === "JournalReplaced")).toEqual([])
      expect(found).toMatchObject({ sent: 4, unknown: 1, notSent: 0 })
      expect(requests).toBe(6)
      expect(proxy.cuts()).toBe(writes / 2)
      expect(proxy.cuts()).toBeGreaterThan(5)
    }).pipe(Effect.scoped, Effect.runPromise)
  )
)
