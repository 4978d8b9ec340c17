/**
 * The rows of a list as jobs of pg-boss, on workers that are killed.
 */
import { expect, it } from "@effect/vitest"
import { ConnectionFailed, ConnectionLost, MessagingTopup } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Running, startScoped } from "../harness/Process.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import { journalOf } from "../harness/journal/JournalOf.ts"
import { startCounting } from "../harness/campaign/CountingService.ts"
import { postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { programFile } from "../harness/Bundled.ts"

const onPostgres = postgres()

const count = 300

const rows = Array.from({ length: count }, (_, index) => ({
  key: `row ${index}`,
  request: { recipient: `+1555${1000 + index}7`, message: `row ${index}` }
}))

/** The key that the example gives the send of a job. */
const jobOf = (key: string) => ({ campaign: "engine", key })

const start = (env: Readonly<Record<string, string>>, args: ReadonlyArray<string> = []) =>
  startScoped([programFile("examples/engines/pg-boss.ts"), ...args], { env })

const killed = (running: Running) => Effect.promise(() => running[Symbol.asyncDispose]())

const noService = new ConnectionLost({ operation: "sendSms" })

/** Calls `sendOnce` for each row, with a service that notes whom it would send to. */
const standings = Effect.gen(function* () {
  const { sendOnce } = yield* SendJournal
  const free = new Array<string>()
  const service = Layer.mock(MessagingTopup, {
    timeoutMillis: 2000,
    sendSms: ({ message }) => {
      free.push(message)
      return Effect.fail(new ConnectionFailed({ operation: "sendSms" }))
    }
  })
  const states = yield* Effect.forEach(
    rows,
    ({ key, request }) =>
      Effect.match(Effect.provide(sendOnce(jobOf(key), request), service), {
        onFailure: ({ _tag }) => [key, _tag] as const,
        onSuccess: () => [key, "sent"] as const
      }),
    { concurrency: 50 }
  )
  return { free, states: new Map<string, string>(states) }
})

it.live(
  "each row is accepted at most once, none is forgotten, and a closed one stays closed",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const { accepted, env } = yield* startCounting({ millis: 20, resets: 0.02 })
      const file = join(yield* folder, "rows.json")
      // Each job is there twice.
      writeFileSync(file, JSON.stringify([...rows, ...rows]))
      const run = (...args: ReadonlyArray<string>) =>
        start({ ...env, DATABASE_URL: urlOf(port) }, args)
      const more = (wanted: number) =>
        Effect.repeat(
          Effect.delay(
            Effect.sync(() => accepted.size >= wanted),
            "20 millis"
          ),
          { until: (isMore) => isMore }
        )
      yield* Effect.gen(function* () {
        const { campaigns, resolve, sendOnce } = yield* SendJournal
        const closed = { recipient: "+155510077", message: "row 7" }
        const lost = Layer.mock(MessagingTopup, {
          sendSms: () => Effect.fail(noService),
          timeoutMillis: 2000
        })
        yield* Effect.flip(Effect.provide(sendOnce(jobOf("row 7"), closed), lost))
        expect(yield* resolve({ campaign: "engine", keys: ["row 7"] }, "not-sent")).toMatchObject({
          changed: 1
        })

        const first = yield* run(file)
        yield* more(60)
        const second = yield* run()
        yield* more(120)
        yield* killed(first)
        yield* more(200)
        yield* killed(second)
        yield* run()
        // The journal adds up, because a `sendOnce` of each row takes the time of the worker.
        yield* Effect.repeat(campaigns.counts("engine"), {
          schedule: Schedule.spaced("1 second"),
          until: (rowsIn) => rowsIn.closed + rowsIn.sent + rowsIn.unknown === count
        })
        const found = yield* standings
        expect(found.free).toEqual([])
        const of = (state: string) => rows.filter(({ key }) => found.states.get(key) === state)
        expect([...accepted].filter(([, times]) => times > 1)).toEqual([])
        expect(of("SendClosed").map(({ key }) => key)).toEqual(["row 7"])
        expect(accepted.has("row 7")).toBe(false)
        expect(of("sent").filter(({ key }) => !accepted.has(key))).toEqual([])
        expect(of("sent").length + of("OutcomeUnknown").length).toBe(count - 1)
      }).pipe(Effect.provide(journalOf(`postgres:${port}`)))
    }).pipe(Effect.scoped)
  ),
  240_000
)
