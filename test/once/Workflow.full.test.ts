/**
 * SMS as workflows of Effect's engine, on two runners, one of which is killed.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { expect, it } from "@effect/vitest"
import { decidedState } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Struct from "effect/Struct"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startCounting } from "../harness/campaign/CountingService.ts"
import { alone } from "../harness/Command.ts"
import { postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { programFile } from "../harness/Bundled.ts"
import { freePort } from "../harness/Listening.ts"
import { startScoped } from "../harness/Process.ts"
import { folder } from "../harness/TemporaryFolder.ts"

const count = 150

const orders = Array.from({ length: count }, (_, index) => ({
  key: `order-${index}`,
  request: { recipient: `+1555${1000 + index}7`, message: `The text of ${index}` }
}))

/** The first order has another text. */
const changed = orders.map((order, index) =>
  index > 0 ? order : { ...order, request: { ...order.request, message: "Another text" } }
)

const decisions = Struct.keys(decidedState)

const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.delay(condition, "50 millis"), { until: (is) => is })

const onPostgres = postgres()

it.live(
  "each SMS is accepted at most once, and each workflow ends, after a person's decision if its runner was killed",
  onPostgres(({ config, port }) =>
    Effect.gen(function* () {
      // One for each runner: so it is known which of them sends. The one that is killed has sends in flight.
      const first = yield* startCounting({ millis: 9000 })
      const second = yield* startCounting({ millis: 500 })
      const acceptedOf = (text: string) =>
        (first.accepted.get(text) ?? 0) + (second.accepted.get(text) ?? 0)
      const accepted = () => orders.map(({ request }) => acceptedOf(request.message))

      const path = yield* folder
      const fileOf = (name: string, list: typeof orders) => {
        const file = join(path, name)
        writeFileSync(file, JSON.stringify(list))
        return file
      }
      const start = Effect.fnUntraced(function* (
        { env }: typeof first,
        file: string,
        ...args: ReadonlyArray<string>
      ) {
        const own = { DATABASE_URL: urlOf(port), PORT: String(yield* freePort), WAIT_SECONDS: "2" }
        return yield* startScoped(
          [programFile("examples/engines/effect-workflow.ts"), file, ...args],
          {
            env: { ...env, ...own }
          }
        )
      })
      const operate = (...args: ReadonlyArray<string>) =>
        alone(args, { env: { MESSAGING_TOPUP_JOURNAL: urlOf(port) } })
      const { unsafe: query } = yield* PgClient.PgClient

      // The orders come later: the runners find a file that is half written.
      const file = join(path, "orders.json")
      writeFileSync(file, "[")
      const killed = yield* start(first, file)
      const stopped = yield* start(second, file)
      // Its log is taken by nobody.
      for (const output of [stopped.child.stdout, stopped.child.stderr]) output?.destroy()
      // Each runner has locked half of the engine's shards.
      const locks =
        "select pid from pg_locks where locktype = 'advisory' group by pid having count(*) > 100"
      yield* until(Effect.map(query(locks), ({ length }) => length === 2))
      /** How each workflow ended that has ended. Those that are not there begin. */
      const endsOf = Effect.fnUntraced(function* (list: typeof orders) {
        const begun = yield* start(first, fileOf("begun.json", list), "begin")
        const { code, stdout } = yield* Effect.promise(() => begun.ended)
        expect(code).toBe(0)
        return new Map(
          [...stdout.matchAll(/^(\S+): (\w+)$/gm)].map(([, key = "", end = ""]) => [key, end])
        )
      }, Effect.scoped)
      const begun = yield* start(first, fileOf("begun.json", orders), "begin")
      yield* Effect.promise(() => begun.ended)
      fileOf("orders.json", orders)
      const inFlight = () => first.times.filter((at) => performance.now() - at < 8000).length
      yield* until(Effect.sync(() => inFlight() >= 10))
      yield* Effect.promise(() => killed[Symbol.asyncDispose]())
      // What it had not begun when the runner was killed.
      yield* endsOf(orders)
      const keysIn = (state: string) =>
        Effect.map(operate("sends", "--json"), ({ events }) =>
          events.flatMap((event) => (event["state"] === state ? [String(event["key"])] : []))
        )
      // It asks the journal, because a look at the workflows is a process, which takes the time of the runner.
      const spaced = Schedule.spaced("3 seconds")
      const { waiting } = yield* Effect.repeat(
        Effect.all({ sent: keysIn("sent"), waiting: keysIn("unknown") }),
        { schedule: spaced, until: (found) => found.sent.length + found.waiting.length === count }
      )

      const before = accepted()
      expect(Math.max(...before)).toBe(1)
      expect(waiting.length).toBeGreaterThan(2)
      // Longer than the first wait of a workflow.
      yield* Effect.sleep("5 seconds")
      expect(accepted()).toEqual(before)

      const decided = new Map(waiting.map((key, index) => [key, decisions[index % 3]]))
      // What is in flight in a runner that is stopped ends first.
      const posts = second.times.length
      for (const [key, decision] of decided) {
        yield* operate("resolve", "--key", key, `--${decision}`, "--yes")
      }
      yield* until(Effect.sync(() => second.times.length > posts))
      stopped.kill("SIGTERM")
      yield* Effect.promise(() => stopped.ended)
      expect(yield* keysIn("unknown")).toEqual([])
      yield* start(second, file)
      const ends = yield* Effect.repeat(endsOf(orders), {
        schedule: spaced,
        until: ({ size }) => size === count
      })
      expect(ends).toEqual(
        new Map(
          orders.map(({ key }) => [key, decided.get(key) === "not-sent" ? "SendClosed" : "sent"])
        )
      )
      const after = orders.map(({ key }, index) => {
        const sentBefore = before[index] ?? 0
        if (!decided.has(key)) return 1
        return decided.get(key) === "resend" ? sentBefore + 1 : sentBefore
      })
      expect(accepted()).toEqual(after)

      // The other order is not the runner's.
      const again = Effect.repeat(endsOf(changed), {
        schedule: spaced,
        until: ({ size }) => size === count
      })
      expect(yield* again).toEqual(new Map([...ends, ["order-0", "OrderChanged"]]))
      expect(accepted()).toEqual(after)
      expect(acceptedOf("Another text")).toBe(0)

      const [stored] = yield* query(
        "select string_agg(message::text, ' ') || (select string_agg(reply::text, ' ') from cluster_replies reply) as text from cluster_messages message"
      )
      expect(stored).toMatchObject({ text: expect.stringContaining("order-0") })
      expect(stored).not.toMatchObject({ text: expect.stringMatching(/\+1555|text of/) })
    }).pipe(Effect.scoped, Effect.provide(PgClient.layer(config)))
  )
)
