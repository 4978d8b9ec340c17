import { expect, it } from "@effect/vitest"
import { Campaign, type CampaignEvent } from "@messaging-topup/campaign"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { journalOf } from "../journal/support/JournalOf.ts"
import { smallDisk } from "../journal/support/SmallDisk.ts"
import { postgres } from "./support/Postgres.ts"
import { quickQueue } from "./support/Queue.ts"
import { counts, none, rows } from "./support/Rows.ts"
import { overHttp } from "./support/Service.ts"

const onPostgres = postgres()

const expectOnce = Effect.gen(function* () {
  const { messages } = yield* Sandbox
  const texts = (yield* messages()).map(({ message }) => message)
  expect(new Set(texts).size).toBe(texts.length)
  return texts.length
})

it.live(
  "when PostgreSQL crashes under load, each row is sent once",
  onPostgres(({ crash, port }) => {
    const test = Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("c", rows(1500))
      const events = new Array<CampaignEvent["_tag"]>()
      const running = yield* Effect.forkChild(
        Stream.runForEach(Campaign.resume("c", { concurrency: 20 }), ({ _tag }) =>
          Effect.sync(() => events.push(_tag))
        )
      )
      for (const received of [200, 600, 1000]) {
        yield* sandbox.until(({ requests }) => requests.length >= received)
        yield* Effect.promise(crash)
      }
      yield* Fiber.join(running)
      expect(yield* counts).toEqual({ ...none, sent: 1500 })
      expect(yield* expectOnce).toBe(1500)
    })
    return Effect.provide(test, Layer.merge(journalOf(`postgres:${port}`), overHttp))
  }),
  120_000
)

it.live(
  "a worker that is frozen until its slice's lock expires, and then continues, sends nothing twice",
  onPostgres(({ port }) => {
    const place = `postgres:${port}`
    const program = fileURLToPath(new URL("programs/send.ts", import.meta.url))
    const test = Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("frozen", rows(1000))
      yield* Effect.provide(Campaign.offer("frozen"), quickQueue(place))
      const args = [program, place, sandbox.baseUrl, Redacted.value(sandbox.token), "work"]
      const start = Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, args, { stdio: "ignore" })),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const first = yield* start
      yield* sandbox.until(({ requests }) => requests.length >= 50)
      first.kill("SIGSTOP")
      yield* start
      const isOpen = Effect.map(
        Campaign.status("frozen"),
        (status) => status.counts.pending + status.counts.attempting > 0
      )
      yield* Effect.repeat(Effect.delay(isOpen, "100 millis"), { while: (open) => open })
      const before = (yield* Campaign.status("frozen")).counts
      expect(before.unknown).toBeLessThanOrEqual(20)
      // After it continues, it settles the requests that were in flight when it was frozen.
      first.kill("SIGCONT")
      const unknown = Effect.map(Campaign.status("frozen"), (status) => status.counts.unknown)
      yield* Effect.repeat(Effect.delay(unknown, "100 millis"), { while: (count) => count > 0 })
      // Its claims that had not started are too old: they are released, and a later attempt sends them.
      const { pending, sent } = (yield* Campaign.status("frozen")).counts
      expect(sent + pending).toBe(1000)
      expect(pending).toBeLessThanOrEqual(20)
      expect(yield* expectOnce).toBe(sent)
    }).pipe(Effect.scoped)
    return Effect.provide(test, Layer.merge(journalOf(place), overHttp))
  }),
  120_000
)

it.live("when the disk is full, sending stops until space is free", (context) =>
  Effect.gen(function* () {
    const disk = yield* smallDisk
    if (disk === undefined) return context.skip("mounting a small disk is not allowed")
    const test = Effect.gen(function* () {
      const sandbox = yield* Sandbox
      yield* Campaign.load("c", rows(300))
      const lost = yield* Latch.make()
      const running = yield* Effect.forkChild(
        Stream.runForEach(Campaign.resume("c", { concurrency: 10 }), ({ _tag }) =>
          _tag === "JournalLost" ? lost.open : Effect.void
        )
      )
      yield* sandbox.until(({ requests }) => requests.length >= 20)
      disk.fill()
      yield* lost.await
      const { length } = yield* sandbox.requests()
      expect(length).toBeLessThan(300)
      disk.free()
      yield* Fiber.join(running)
      expect(yield* counts).toEqual({ ...none, sent: 300 })
      expect(yield* expectOnce).toBe(300)
    })
    const journal = Sqlite.layer(join(disk.path, "journal.db"))
    yield* Effect.provide(test, Layer.merge(journal, overHttp))
  }).pipe(Effect.scoped)
)
