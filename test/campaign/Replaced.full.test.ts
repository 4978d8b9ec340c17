/**
 * A journal that is replaced by an older copy while a run is at work: settlements find no row of their claims. And what
 * looks like it, and must not end a run.
 */
import { describe, expect, it } from "@effect/vitest"
import { type Decision, type Row, sendMany, type SendManyEvent } from "@messaging-topup/journal"
import { MessagingTopup, type SendSmsError, UndocumentedStatus } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { inTestTime, pass, passUntilOver, rowOf, rows, send } from "../harness/campaign/Rows.ts"
import { command, csvOf, fileOf, onSandbox, start, texts } from "../harness/Command.ts"
import { acceptance } from "../harness/Contract.ts"
import { inMemory } from "../harness/journal/Service.ts"
import { rewriting } from "../harness/journal/Statements.ts"
import { folder } from "../harness/TemporaryFolder.ts"

/** In a process of its own: a program that reads its journal's file drops the locks of SQLite. */
const copy = (from: string, to: string) => execFileSync("cp", [from, to])

const timeoutMillis = 30_000

/** A service that ends the request of this number, from 0, with an effect of the test. */
const serviceOf = (nth: number, end: Effect.Effect<typeof acceptance, SendSmsError, SendJournal>) =>
  Effect.map(SendJournal, (journal) => {
    let requests = 0
    const sendSms = () =>
      requests++ === nth
        ? Effect.provideService(end, SendJournal, journal)
        : Effect.succeed(acceptance)
    return {
      requests: () => requests,
      service: Layer.mock(MessagingTopup, { sendSms, timeoutMillis })
    }
  })

/** A journal in a file, and a copy of it in which nothing was sent. */
const files = Effect.gen(function* () {
  const path = yield* folder
  const [journal, older] = [join(path, "journal.sqlite"), join(path, "older.sqlite")]
  yield* Effect.scoped(Layer.build(Sqlite.layer(journal)))
  copy(journal, older)
  return { journal, putBack: Effect.sync(() => copy(older, journal)) }
})

const statusOf = (status: number) =>
  Effect.fail(new UndocumentedStatus({ operation: "sendSms", status, body: "" }))

describe("a journal that is put back", () => {
  it.effect.each([
    ["sent", Effect.succeed(acceptance)],
    ["unknown", statusOf(503)]
  ] as const)("ends the run after a request that ends as %s, and starts no other", ([, end]) =>
    Effect.gen(function* () {
      const { journal, putBack } = yield* files
      yield* Effect.gen(function* () {
        const { requests, service } = yield* serviceOf(20, Effect.andThen(putBack, end))
        const running = send(rows(900), { concurrency: 1 })
        const { events, rows: found, stop } = yield* Effect.provide(running, service)
        expect(stop).toEqual({ reason: "JournalReplaced", missing: 1 })
        expect(events).toContainEqual({ _tag: "JournalReplaced", missing: 1 })
        expect(requests()).toBe(21)
        expect(found.sent + found.unknown).toBe(21)
        expect(found.notSent).toBeGreaterThan(0)
        // What was claimed meanwhile is given back.
        const { campaigns } = yield* SendJournal
        expect(yield* campaigns.counts("c")).toMatchObject({ "in-flight": 0, sent: 0, unknown: 0 })
      }).pipe(Effect.provide(Sqlite.layer(journal)))
    }).pipe(Effect.scoped)
  )

  it.effect("settles what it has, and counts each that it has not", () =>
    Effect.gen(function* () {
      const { journal, putBack } = yield* files
      yield* Effect.gen(function* () {
        const { campaigns, describe: described, identify } = yield* SendJournal
        const claim = (...all: ReadonlyArray<Row>) =>
          campaigns.write("c", {
            settle: [],
            claim: all.map(({ key, request }) => ({
              ...described(identify({ campaign: "c", key }, request), request),
              attempt: 0,
              mayRepeat: true
            })),
            ticket: "t",
            timeoutMillis
          })
        const lost = yield* claim(rowOf(0), rowOf(1), rowOf(2))
        yield* putBack
        const kept = yield* claim(rowOf(3))
        const ends = [
          { state: "sent", messages: [] },
          { state: "rejected", reason: "NotFound 404" },
          { state: "nothing" },
          { state: "unknown" }
        ] as const
        const settle = [...lost.rows, ...kept.rows].flatMap((row, index) => {
          const stored = ends[index]
          return typeof row === "object" && stored ? [{ claim: row, stored }] : []
        })
        const written = yield* campaigns.write("c", {
          settle,
          claim: [],
          ticket: "u",
          timeoutMillis
        })
        // Of what left nothing, the row may be released.
        expect(written.missing).toBe(2)
        expect(yield* campaigns.counts("c")).toMatchObject({ unknown: 1, sent: 0, "in-flight": 0 })
        // The copy is older than the campaign, and a person looks up what it alone has.
        const { operator } = yield* SendJournal
        expect(yield* campaigns.find("c")).toBeDefined()
        expect(yield* operator.campaigns).toEqual(["c"])
      }).pipe(Effect.provide(Sqlite.layer(journal)))
    }).pipe(Effect.scoped)
  )

  it.effect("is logged after a single send, which was sent, and nothing more is sent", () =>
    Effect.gen(function* () {
      const { journal, putBack } = yield* files
      const logged = new Array<unknown>()
      const logger = Logger.make<unknown, void>(({ message }) => void logged.push(message))
      yield* Effect.gen(function* () {
        const { requests, service } = yield* serviceOf(0, Effect.as(putBack, acceptance))
        const { sendOnce } = yield* SendJournal
        const sent = yield* Effect.provide(sendOnce("k", rowOf(0).request), service)
        expect(sent.isEarlier).toBe(false)
        expect(logged).toMatchObject([
          [
            expect.stringContaining("is not in the journal"),
            { id: 1, key: "k", journal, outcome: "sent" }
          ]
        ])
        const older = { _tag: "JournalUnavailable", problem: "older-copy" }
        for (const key of ["k", "l", { campaign: "c", key: "k" }]) {
          const refused = sendOnce(key, rowOf(0).request)
          expect(yield* Effect.flip(Effect.provide(refused, service))).toMatchObject(older)
        }
        const run = Effect.provide(send(rows(5)), service)
        expect(yield* Effect.flip(run)).toMatchObject(older)
        expect(requests()).toBe(1)
      }).pipe(Effect.provide([Sqlite.layer(journal), Logger.layer([logger])]))
    }).pipe(Effect.scoped)
  )

  const older = { _tag: "JournalUnavailable", problem: "older-copy" }

  /** What sends five SMS, puts the journal back while nothing is in flight, and sends on. */
  const idle: Readonly<
    Record<
      string,
      (putBack: Effect.Effect<void>) => Effect.Effect<void, unknown, SendJournal | MessagingTopup>
    >
  > = {
    "the next call": (putBack) =>
      Effect.gen(function* () {
        const { identify, sendOnce, server } = yield* SendJournal
        const call = (key: string) => sendOnce(key, rowOf(0).request)
        for (const key of ["k", "l", "m", "n", "o"]) yield* call(key)
        yield* putBack
        const refused = yield* Effect.forEach(["k", "l", "p"], (key) => Effect.flip(call(key)), {
          concurrency: "unbounded"
        })
        expect(refused).toMatchObject([older, older, older])
        // The claim was given back.
        const [standing] = yield* server.look([identify("k", rowOf(0).request)])
        expect(standing).toMatchObject({ state: "free", attempt: 0 })
      }),
    "the next run": (putBack) =>
      Effect.gen(function* () {
        yield* send(rows(5))
        yield* putBack
        const { stop } = yield* send(rows(5))
        expect(stop).toEqual({ reason: "JournalReplaced", missing: 1 })
        expect(yield* Effect.flip(send(rows(5)))).toMatchObject(older)
      }),
    "a run that has waited for rows": (putBack) =>
      Effect.gen(function* () {
        const { campaigns } = yield* SendJournal
        const allSent = Effect.repeat(
          Effect.andThen(Effect.sleep("100 millis"), campaigns.counts("c")),
          { until: ({ sent }) => sent === 5 }
        )
        const late = Stream.drain(Stream.fromEffect(Effect.andThen(allSent, putBack)))
        const given = Stream.concat(rows(5), Stream.concat(late, rows(10)))
        const { stop, rows: found } = yield* inTestTime(send(given))
        // Of this run, they are counted.
        expect(stop).toEqual({ reason: "JournalReplaced", missing: 5 })
        expect(found).toMatchObject({ sent: 5, inFlight: 0 })
      })
  }

  it.effect.each(Object.entries(idle))(
    "while nothing is in flight, is noticed by %s before it sends",
    ([, sendsOn]) =>
      Effect.gen(function* () {
        const { journal, putBack } = yield* files
        yield* Effect.gen(function* () {
          const { requests, service } = yield* serviceOf(-1, Effect.succeed(acceptance))
          yield* Effect.provide(sendsOn(putBack), service)
          expect(requests()).toBe(5)
          const { campaigns } = yield* SendJournal
          expect(yield* campaigns.counts("c")).toMatchObject({ "in-flight": 0, sent: 0 })
        }).pipe(Effect.provide(Sqlite.layer(journal)))
      }).pipe(Effect.scoped)
  )
})

describe("a journal whose file is changed in place while a write is under way", () => {
  const cut = (file: string, bytes: number) =>
    execFileSync(process.execPath, ["-e", `fs.truncateSync(${JSON.stringify(file)}, ${bytes})`])

  const changes: Readonly<Record<string, (journal: string, older: string) => unknown>> = {
    "an older copy": (journal, older) => copy(older, journal),
    nothing: (journal) => cut(journal, 0),
    "half of it": (journal) => cut(journal, 5 * 4096)
  }

  const count = 100

  /** A run whose file is changed in a commit, after so many requests. Each request takes `millis`. */
  const runWith = (
    change: (journal: string, older: string) => unknown,
    after: number,
    millis: number,
    fails = false,
    copied = 5,
    all = count
  ) =>
    Effect.gen(function* () {
      const path = yield* folder
      const [journal, older] = [join(path, "journal.sqlite"), join(path, "older.sqlite")]
      let requests = 0
      const steps = new Map([
        [copied, () => copy(journal, older)],
        [after, () => change(journal, older)]
      ])
      const inCommit = (sql: string) => {
        if (sql === "commit") steps.get(requests)?.()
        if (sql === "commit") steps.delete(requests)
        return sql
      }
      const sendSms = () =>
        Effect.suspend(() => {
          requests++
          return Effect.as(TestClock.adjust(millis), acceptance)
        })
      const service = Layer.mock(MessagingTopup, { sendSms, timeoutMillis })
      const told = new Set<SendManyEvent["_tag"]>()
      const onEvent = ({ _tag }: SendManyEvent) =>
        Effect.sync(() => {
          told.add(_tag)
          if (fails && _tag === "Settled" && requests === count) throw new Error("It is enough")
        })
      const running = Effect.provide(send(rows(all), { concurrency: 1, onEvent }), [
        Sqlite.layer(journal),
        service
      ])
      const exit = yield* rewriting(
        inCommit,
        Effect.flatMap(Effect.forkChild(Effect.exit(running)), passUntilOver)
      )
      expect(steps.size).toBe(0)
      if (fails) {
        expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({
          message: "It is enough"
        })
        expect([...told]).toContainEqual(expect.stringMatching(/^Journal(Lost|Replaced)$/))
        return 0
      }
      const end = Exit.isSuccess(exit) ? exit.value.stop?.reason : yield* Effect.flip(exit)
      if (end !== "JournalReplaced") expect(end).toMatchObject({ problem: "corrupt" })
      return requests - after
    }).pipe(Effect.scoped)

  it.effect.each(Object.entries(changes))("by %s, is noticed within a second", ([, change]) =>
    Effect.map(runWith(change, 60, 1000), (more) => expect(more).toBeLessThan(3))
  )

  it.effect.each(Object.entries(changes))("by %s, is noticed at the end of the run", ([, change]) =>
    Effect.map(runWith(change, count, 1), (more) => expect(more).toBe(0))
  )

  const over = (journal: string, older: string) =>
    execFileSync("dd", [`if=${older}`, `of=${journal}`, "conv=notrunc", "status=none"])

  // What the next commits touch, they wrote themselves.
  it.effect.each([62, 66, 70])(
    "by an older copy that hides what is missing, is noticed within two seconds: after %i",
    (after) =>
      Effect.map(runWith(over, after, 20, false, 40, 400), (more) => expect(more).toBeLessThan(100))
  )

  it.effect.each([62, 66, 70])(
    "by an older copy that hides what is missing, is noticed at the end of the run: after %i",
    (after) => runWith(over, after, 1, false, 40)
  )

  it.effect.each(Object.entries(changes))(
    "by %s, is noticed at the end of a run that fails for another reason",
    ([, change]) => runWith(change, count, 1, true)
  )
})

describe("a run goes on, and does not say that the journal was replaced,", () => {
  const isReplaced = ({ _tag }: SendManyEvent) => _tag === "JournalReplaced"

  /** Ends a request late, after something else happened to its claim. */
  const runWith = (
    meanwhile: Effect.Effect<unknown, unknown, SendJournal>,
    end: Effect.Effect<typeof acceptance, SendSmsError>
  ) =>
    Effect.gen(function* () {
      const late = Effect.andThen(TestClock.adjust("1 minute"), Effect.orDie(meanwhile))
      const { service } = yield* serviceOf(1, Effect.andThen(late, end))
      const events = new Array<SendManyEvent>()
      const onEvent = (event: SendManyEvent) => Effect.sync(() => events.push(event))
      const running = sendMany(rows(5), { campaign: "c", concurrency: 1, onEvent })
      const exit = yield* passUntilOver(
        yield* Effect.forkChild(Effect.exit(Effect.provide(running, service)))
      )
      expect(events.some(isReplaced)).toBe(false)
      return exit
    })

  const decide = (decision: Decision) =>
    Effect.flatMap(SendJournal, ({ resolve }) =>
      Effect.map(resolve({ campaign: "c" }, decision), ({ changed }) => expect(changed).toBe(1))
    )

  const ends = {
    sent: Effect.succeed(acceptance),
    unknown: statusOf(503),
    "not accepted": statusOf(429)
  }

  for (const decision of ["sent", "not-sent", "resend"] as const) {
    it.effect.each(Object.entries(ends))(
      `after a person has decided ${decision} before the request ended as %s`,
      ([, end]) =>
        Effect.gen(function* () {
          const exit = yield* runWith(decide(decision), end)
          expect(Exit.isSuccess(exit) && exit.value.stop).toBeUndefined()
          expect(Exit.isSuccess(exit)).toBe(true)
        }).pipe(Effect.provide(inMemory))
    )
  }

  it.effect.each(Object.entries(ends))(
    "but that its campaign was pruned, after prune --unknown and a request that ended as %s",
    ([, end]) =>
      Effect.gen(function* () {
        const prune = Effect.flatMap(SendJournal, (journal) =>
          journal.prune({ campaign: "c", unknown: true })
        )
        const exit = yield* runWith(prune, end)
        expect(yield* Effect.flip(exit)).toMatchObject({ _tag: "CampaignPruned", campaign: "c" })
      }).pipe(Effect.provide(inMemory))
  )
})

describe("the command", () => {
  const words = (text: string) =>
    expect(text).toMatch(
      /(^|\n)At least \d+ SMS of this run (is|are) not in the journal: an older copy took its place \(.+\): stop everything \(also cron\), and do not run this again before what went out is taken out of the list, because no journal has all of it: compare the service with results; if there is a newer file, keep the older one, put the newer one back, and take results of both \(--journal\)\n$/
    )

  /** A list whose first request is in flight, and then the journal is put back. */
  const replacing = Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(60))
    const { setFault, until } = yield* Sandbox
    const older = `${journal}.older`
    copy(journal, older)
    yield* setFault({ fault: "Slow", seconds: 1 })
    const putBack = Effect.andThen(
      until(({ requests }) => requests.length >= 1),
      Effect.sync(() => copy(older, journal))
    )
    return { args: ["run", file, "--yes", "--journal", journal], putBack }
  })

  it.effect("ends with 4, and does not say to run it again", () =>
    Effect.gen(function* () {
      const { args, putBack } = yield* replacing
      const running = yield* Effect.forkChild(command(args))
      yield* putBack
      const ended = yield* passUntilOver(running)
      expect(ended.code).toBe(4)
      words(ended.stderr)
      expect(ended.stderr).not.toContain("To go on")
      expect(ended.events).toContainEqual({ event: "JournalReplaced", missing: 1 })
      expect(ended.events.at(-1)).toMatchObject({
        event: "Ended",
        stop: { reason: "JournalReplaced", missing: 1 },
        sent: 1,
        not_sent: 59
      })
      expect(yield* texts).toHaveLength(1)
      const [, file = ""] = args
      const shown = yield* command(["results", file, "--journal", args.at(-1) ?? ""])
      expect(shown).toMatchObject({ code: 0, stderr: "" })
    }).pipe(onSandbox)
  )

  it.effect("says of a damaged file that it is damaged, not that the campaign is not there", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(1))
      const database = new DatabaseSync(journal)
      const found = database.prepare("select rootpage from sqlite_master where name = $name")
      const page = Number(found.get({ name: "send_recipient" })?.["rootpage"])
      database.close()
      const bytes = readFileSync(journal)
      writeFileSync(journal, bytes.fill(0xff, (page - 1) * 4096, page * 4096))
      const { code, stderr } = yield* command(["results", file, "--journal", journal])
      expect(code).toBe(1)
      expect(stderr).toContain("it is damaged")
    }).pipe(onSandbox)
  )

  it.effect.each(["SIGINT", "SIGTERM"] as const)("does so after %s, too", (signal) =>
    Effect.gen(function* () {
      const { args, putBack } = yield* replacing
      const running = yield* start(args)
      yield* putBack
      running.kill(signal)
      yield* running.says(/Stopping: /)
      yield* pass(1)
      const ended = yield* running.ended
      expect(ended.code).toBe(4)
      words(ended.stderr)
      expect(ended.stderr).not.toMatch(/To go on|are in the journal/)
    }).pipe(onSandbox)
  )
})
