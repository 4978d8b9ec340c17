import { describe, expect, it } from "@effect/vitest"
import { MessagingTopup } from "@messaging-topup/core"
import { type SendKey, sendMany, type SendManyEvent } from "@messaging-topup/journal"
import { create, SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { join } from "node:path"
import { none, rows } from "../harness/campaign/Rows.ts"
import { programFile } from "../harness/Bundled.ts"
import { operate } from "../harness/Command.ts"
import { guarded } from "../harness/mcp/GuardedServer.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"
import { start } from "../harness/journal/Programs.ts"
import { startScoped } from "../harness/Process.ts"
import { service } from "../harness/journal/Service.ts"
import { type SmallDisk, smallDisk } from "../harness/journal/SmallDisk.ts"
import { statements } from "../harness/journal/Statements.ts"

const killAt = programFile("test/harness/journal/programs/killAt.ts")

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const sendOnce = (key: SendKey) =>
  Effect.flatMap(SendJournal, (journal) => journal.sendOnce(key, sms))

/** The service. Runs `before` before each request starts. */
const serviceAfter = (before: () => void) =>
  Layer.effect(
    MessagingTopup,
    Effect.map(MessagingTopup, (real) => ({
      ...real,
      sendSms: (request) => Effect.suspend(() => (before(), real.sendSms(request)))
    }))
  ).pipe(Layer.provideMerge(service))

describe("a full disk", () => {
  it.live("sends nothing until space is free", (context) =>
    Effect.gen(function* () {
      const disk = yield* smallDisk
      if (disk === undefined) return context.skip("mounting a small disk is not allowed")
      const test = Effect.gen(function* () {
        const { requests } = yield* Sandbox
        disk.fill()
        const error = yield* Effect.flip(sendOnce("k"))
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "full" })
        expect(yield* requests()).toEqual([])
        disk.free()
        expect(yield* sendOnce("k")).toMatchObject({ isEarlier: false })
      })
      const journal = Sqlite.layer(join(disk.path, "journal.db"))
      yield* Effect.provide(test, Layer.merge(journal, service))
    })
  )

  it.live(
    "keeps the outcome of a started request in memory, and writes it once space is free",
    (context) =>
      Effect.gen(function* () {
        const disk: SmallDisk | undefined = yield* smallDisk
        if (disk === undefined) return context.skip("mounting a small disk is not allowed")
        const test = Effect.gen(function* () {
          const first = yield* sendOnce("k")
          expect(first).toMatchObject({ isEarlier: false, messages: [{}] })
          disk.free()
          expect(yield* sendOnce("k")).toEqual({ ...first, isEarlier: true })
        })
        const journal = Sqlite.layer(join(disk.path, "journal.db"))
        yield* Effect.provide(test, Layer.merge(journal, serviceAfter(disk.fill)))
      })
  )

  it.live("holds a list up until space is free, and each row is sent once", (context) =>
    Effect.gen(function* () {
      const disk = yield* smallDisk
      if (disk === undefined) return context.skip("mounting a small disk is not allowed")
      let started = 0
      const fillAt = () => {
        started++
        if (started === 20) disk.fill()
      }
      const test = Effect.gen(function* () {
        const { requests } = yield* Sandbox
        const events = new Array<string>()
        let sentWhileFull = 0
        const onEvent = (event: SendManyEvent) =>
          Effect.gen(function* () {
            events.push(event._tag)
            if (event._tag !== "JournalLost") return
            expect(event.error).toMatchObject({ problem: "full" })
            sentWhileFull = (yield* requests()).length
            disk.free()
          })
        const result = yield* sendMany(rows(200), { campaign: "c", onEvent })
        expect(result).toMatchObject({ rows: { ...none, sent: 200 }, sentNow: 200 })
        expect(events.filter((tag) => tag.startsWith("Journal"))).toEqual([
          "JournalLost",
          "JournalBack"
        ])
        expect(sentWhileFull).toBeLessThan(200)
        expect(new Set((yield* requests()).map(({ id }) => id)).size).toBe(200)
        const { campaigns } = yield* SendJournal
        expect(yield* campaigns.counts("c")).toMatchObject({
          sent: 200,
          unknown: 0,
          "in-flight": 0
        })
      })
      const journal = Sqlite.layer(join(disk.path, "journal.db"))
      yield* Effect.provide(test, Layer.merge(journal, serviceAfter(fillAt)))
    })
  )
})

it.live(
  "on a full disk, /readyz of a server that could not send is 503 until it could",
  (context) =>
    Effect.gen(function* () {
      const disk = yield* smallDisk
      if (disk === undefined) return context.skip("mounting a small disk is not allowed")
      yield* Effect.promise(async () => {
        const overHttp = { era: "modern", over: "http" } as const
        const journal = ["--journal", join(disk.path, "journal.db")]
        await using server = await guarded(overHttp, journal)
        const status = async () => {
          // What it says holds for a second.
          server.pass("2 seconds")
          return (await fetch(new URL("/readyz", server.url))).status
        }
        let last = 0
        const send = () => server.send({ ...sms, message: `Your code is ${last++}` })
        expect((await send()).isError).toBe(false)
        disk.fill()
        while ((await send()).error["code"] !== "journal_unavailable");
        for (let each = 0; each < 3; each++) {
          expect(await status()).toBe(503)
          expect((await send()).error).toMatchObject({ code: "journal_unavailable" })
        }
        disk.free()
        // A look that began before it was free may still say no.
        await expect.poll(status).toBe(200)
        expect((await send()).isError).toBe(false)
        const { events } = await operate(["sends", ...journal])
        expect(events.map(({ state }) => state)).toEqual(Array(await server.sent()).fill("sent"))
      })
    })
)

it.live("a journal on a read-only disk can be looked up, and takes no send", (context) =>
  Effect.gen(function* () {
    const disk = yield* smallDisk
    if (disk === undefined) return context.skip("mounting a small disk is not allowed")
    const place = join(disk.path, "journal.db")
    const again = <A, E>(use: Effect.Effect<A, E, SendJournal | MessagingTopup | Sandbox>) =>
      Effect.provide(use, Layer.merge(Layer.fresh(Sqlite.layer(place)), service))
    yield* again(
      Effect.flatMap(SendJournal, ({ campaigns, sendOnce: send }) =>
        Effect.andThen(campaigns.begin("c"), send({ campaign: "c", key: "k" }, sms))
      )
    )
    disk.freeze()
    const looked = Effect.flatMap(SendJournal, ({ campaigns }) => campaigns.counts("c"))
    expect(yield* again(looked)).toMatchObject({ sent: 1 })
    expect(yield* again(sendOnce({ campaign: "c", key: "k" }))).toMatchObject({ isEarlier: true })
    // Another call may have sent it by now.
    expect(yield* again(Effect.flip(sendOnce("l")))).toMatchObject({
      problem: "read-only",
      sendOutcome: "unknown"
    })
    // A process that began before goes on as soon as it can be written.
    const thawed = Effect.gen(function* () {
      const { campaigns, sendOnce: send } = yield* SendJournal
      expect(yield* Effect.flip(send("l", sms))).toMatchObject({ problem: "read-only" })
      disk.thaw()
      expect(yield* send("l", sms)).toMatchObject({ isEarlier: false })
      expect(yield* campaigns.counts("c")).toMatchObject({ sent: 1 })
    })
    yield* again(thawed)
  })
)

it.live(
  "a process that is killed at any statement of its first start leaves what a person fills",
  () =>
    Effect.gen(function* () {
      const ran = yield* statements(Effect.scoped(Layer.build(Sqlite.layer(yield* journalFile))))
      const firstStart = ran.slice(0, ran.indexOf("commit") + 1)
      expect(firstStart.length).toBeGreaterThan(12)
      const leaves = Effect.fnUntraced(function* (statement: string, at: number) {
        const file = yield* journalFile
        const opened = Effect.scoped(Layer.build(Layer.fresh(Sqlite.layer(file))))
        const { ended } = yield* startScoped([killAt, file, String(at)])
        expect((yield* Effect.promise(() => ended)).signal, statement).toBe("SIGKILL")
        const error = yield* Effect.flip(opened)
        expect(error, statement).toMatchObject({ problem: "empty" })
        expect(error.message).toContain("messaging-topup init fills it, once")
        expect(yield* create({ _tag: "Sqlite", file }), statement).toContain(file)
        yield* opened
      })
      yield* Effect.forEach(firstStart, leaves, { concurrency: 4 })
    })
)

it.live("a process that is frozen with the lock blocks sends, which fail after 10 seconds", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    const test = Effect.gen(function* () {
      const { requests } = yield* Sandbox
      const holder = yield* start("hold.ts", file)
      yield* Effect.promise(holder.nextLine)
      holder.kill("SIGSTOP")
      const error = yield* Effect.flip(sendOnce("k"))
      expect(error).toMatchObject({ _tag: "JournalLocked", waitedSeconds: 10 })
      expect(error.message).toMatch(/^Another process held the journal for 10 s/)
      expect(yield* requests()).toEqual([])
      holder.kill("SIGKILL")
      expect(yield* sendOnce("k")).toMatchObject({ isEarlier: false })
    })
    yield* Effect.provide(test, Layer.merge(Sqlite.layer(file), service))
  })
)
