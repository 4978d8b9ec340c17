import { describe, expect, it } from "@effect/vitest"
import { layerMemory, SendJournal, type SentOnce } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import {
  chmodSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { conformanceTests } from "./Conformance.ts"
import { folder, journalFile } from "./support/Files.ts"
import { earlierLayouts, writeEarlierLayout } from "./support/EarlierLayouts.ts"
import { start } from "./support/Programs.ts"
import { expectShared } from "./support/Replicas.ts"
import { service } from "./support/Service.ts"
import { rewriting, statements } from "./support/Statements.ts"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const inFile = <A, E, R>(file: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, Layer.merge(Sqlite.layer(file), service))

const sendOnce = (key: string) =>
  Effect.flatMap(SendJournal, (journal) => journal.sendOnce(key, sms))

/** The error of a journal that cannot be opened. */
const refusal = (file: string) => Effect.flip(Effect.scoped(Layer.build(Sqlite.layer(file))))

describe("a journal in a file", () => {
  it.effect.each(conformanceTests)("%s", ([, test]) =>
    Effect.flatMap(journalFile, (file) => inFile(file, test))
  )

  it.effect("knows after a restart what was sent before", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const first = yield* inFile(file, sendOnce("k"))
      expect(yield* inFile(file, sendOnce("k"))).toEqual({ ...first, isEarlier: true })
    })
  )

  it.effect("is readable only by its owner, and so are its -wal and -shm files", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      writeFileSync(file, "", { mode: 0o644 })
      const modes = Effect.sync(() =>
        readdirSync(dirname(file)).map((name) => statSync(join(dirname(file), name)).mode & 0o777)
      )
      expect(yield* inFile(file, Effect.andThen(sendOnce("k"), modes))).toEqual([
        0o600, 0o600, 0o600
      ])
    })
  )

  it.effect("contains neither number nor text of a single send", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      yield* inFile(file, sendOnce("k"))
      const stored = readFileSync(file, "latin1")
      expect(stored).toContain("claimed_at")
      expect(stored).not.toMatch(/4711|5550101234/)
    })
  )

  it.effect("waits for every commit to be on the disk", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const ran = yield* statements(inFile(file, sendOnce("k")))
      expect(ran).toContain("pragma synchronous = full")
      expect(ran.join()).toContain("pragma journal_mode = wal")
    })
  )

  it.live("is shared by processes: of 50 callers in two processes, one sends", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const { baseUrl, messages, token } = yield* Sandbox
      const args = [file, baseUrl, Redacted.value(token), "a", "b"]
      const programs = yield* Effect.all([
        start("sendOnce.ts", ...args),
        start("sendOnce.ts", ...args)
      ])
      const lines = yield* Effect.forEach(programs, ({ nextLine }) => nextLine)
      const results: ReadonlyArray<SentOnce> = lines.flatMap((line) => JSON.parse(line))
      expect(results).toHaveLength(100)
      expect(results.filter(({ isEarlier }) => !isEarlier)).toHaveLength(2)
      expect(yield* messages()).toHaveLength(2)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("shares limits, approvals and single sends between connections", () =>
    Effect.gen(function* () {
      yield* expectShared(Sqlite.layer(yield* journalFile))
    }).pipe(Effect.provide(service))
  )

  it.live("waits for another process that holds its lock", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      yield* inFile(file, Effect.void)
      const holder = yield* start("hold.ts", file)
      yield* holder.nextLine
      let begins = 0
      const releaseAtThirdBegin = (sql: string) => {
        if (sql === "begin immediate" && ++begins === 3) holder.child.stdin?.write("go on\n")
        return sql
      }
      const sent = yield* rewriting(releaseAtThirdBegin, inFile(file, sendOnce("k")))
      expect(sent).toMatchObject({ isEarlier: false })
      expect(begins).toBeGreaterThan(3)
    })
  )

  it.effect("fails all waiting calls after the same time, however many they are", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const calls = Effect.forEach(
        Array.from({ length: 20 }, (_, index) => `k${index}`),
        (key) => Effect.flip(sendOnce(key)),
        { concurrency: "unbounded" }
      )
      const test = Effect.gen(function* () {
        const other = new DatabaseSync(file)
        yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
        other.exec("begin immediate")
        const waiting = yield* Effect.forkChild(calls)
        yield* TestClock.adjust("11 seconds")
        return yield* Fiber.join(waiting)
      })
      const errors = yield* inFile(file, Effect.scoped(test))
      expect(new Set(errors.map(({ _tag }) => _tag))).toEqual(new Set(["JournalLocked"]))
    })
  )

  it.effect("sends nothing after it was removed or replaced while in use", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const refused = Effect.map(Effect.flip(sendOnce("k2")), (error) => {
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "replaced" })
        expect(error.message).toContain("was removed or replaced while it was in use")
      })
      const test = Effect.gen(function* () {
        const { messages } = yield* Sandbox
        yield* sendOnce("k")
        renameSync(file, `${file}.away`)
        yield* refused
        writeFileSync(file, "")
        yield* refused
        expect(yield* messages()).toHaveLength(1)
        renameSync(`${file}.away`, file)
        renameSync(`${file}-wal`, `${file}-wal.away`)
        yield* refused
        renameSync(`${file}-wal.away`, `${file}-wal`)
        expect(yield* sendOnce("k2")).toMatchObject({ isEarlier: false })
      })
      yield* inFile(file, test)
    })
  )

  it.live("is refused if it was copied without its -wal file, and opens again with it", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const copy = `${file}.copy`
      yield* inFile(
        file,
        Effect.gen(function* () {
          yield* sendOnce("k")
          copyFileSync(file, copy)
          copyFileSync(`${file}-wal`, `${copy}-kept`)
        })
      )
      const error = yield* refusal(copy)
      expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "incomplete" })
      expect(error.message).toContain("its -wal file is missing")
      copyFileSync(`${copy}-kept`, `${copy}-wal`)
      expect(yield* inFile(copy, sendOnce("k"))).toMatchObject({ isEarlier: true })
    })
  )

  it.live("is a single file after its last connection has closed, however they close", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      for (let round = 0; round < 20; round++) {
        const send = inFile(file, Effect.scoped(sendOnce(`k${round}`)))
        yield* Effect.all([send, send, inFile(file, Effect.void)], { concurrency: "unbounded" })
        expect(readdirSync(dirname(file))).toEqual([basename(file)])
      }
      const copy = `${file}.copy`
      copyFileSync(file, copy)
      expect(yield* inFile(copy, sendOnce("k7"))).toMatchObject({ isEarlier: true })
    })
  )

  it.live("stays with its -wal file while another connection is open", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const copy = `${file}.copy`
      const test = Effect.gen(function* () {
        yield* inFile(file, sendOnce("k"))
        copyFileSync(file, copy)
      })
      yield* inFile(file, test)
      expect(yield* refusal(copy)).toMatchObject({ problem: "incomplete" })
    })
  )

  it.effect.each(Object.entries(earlierLayouts))(
    "of the %s layout is refused, and keeps its rows",
    ([, layout]) =>
      Effect.gen(function* () {
        const file = yield* journalFile
        writeEarlierLayout(file, layout)
        const error = yield* refusal(file)
        expect(error).toMatchObject({ problem: "older" })
        expect(error.message).toContain("use another file or database")
        const database = new DatabaseSync(file)
        expect(database.prepare("select state from send").all()).toMatchObject([
          { state: "accepted" }
        ])
        database.close()
      })
  )

  it.live("prints nothing on stderr", () =>
    Effect.gen(function* () {
      const program = yield* start("open.ts", yield* journalFile)
      expect(yield* program.nextLine).toBe("done")
      expect(yield* program.ended).toEqual({ code: 0, stderr: "" })
    })
  )
})

describe("a file that is not a journal", () => {
  it.effect("is refused and not changed", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const text = "Not a database, but a letter. ".repeat(100)
      writeFileSync(file, text)
      expect(yield* refusal(file)).toMatchObject({ problem: "corrupt", code: "SQLITE_NOTADB" })
      expect(readFileSync(file, "utf8")).toBe(text)
    })
  )

  it.effect("keeps its rights and its tables, also behind a link", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const [letter, other] = [`${file}.letter`, `${file}.other`]
      writeFileSync(letter, "Not a database, but a letter. ".repeat(100))
      const database = new DatabaseSync(other)
      database.exec("create table customer (id integer)")
      database.close()
      for (const target of [letter, other]) {
        chmodSync(target, 0o644)
        const before = readFileSync(target)
        const link = `${target}.link`
        symlinkSync(target, link)
        expect(yield* refusal(link)).toMatchObject({ problem: "corrupt" })
        expect(statSync(target).mode & 0o777).toBe(0o644)
        expect(readFileSync(target).equals(before)).toBe(true)
      }
    })
  )

  it.effect("is refused if it is a device or a folder, and keeps its rights", () =>
    Effect.gen(function* () {
      for (const path of ["/dev/null", yield* folder]) {
        const { mode } = statSync(path)
        expect(yield* refusal(path)).toMatchObject({ problem: "corrupt" })
        expect(statSync(path).mode).toBe(mode)
      }
    })
  )

  it.effect("is refused if its folder does not exist", () =>
    Effect.gen(function* () {
      const error = yield* refusal("/nowhere/journal.db")
      expect(error).toMatchObject({ problem: "unreachable", code: "ENOENT" })
      expect(error.message).toContain("check that the database runs")
    })
  )

  it.effect("is refused if a newer version wrote it", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      yield* inFile(file, Effect.void)
      const database = new DatabaseSync(file)
      database.exec("insert into version (version) values (99)")
      database.close()
      expect(yield* refusal(file)).toMatchObject({ problem: "newer" })
    })
  )

  // Root may write everything.
  it.effect.skipIf(process.getuid?.() === 0)("is refused if it cannot be written", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      chmodSync(dirname(file), 0o500)
      expect(yield* refusal(file)).toMatchObject({ problem: "read-only" })
    })
  )
})

it.effect("journals in memory are independent of each other", () =>
  Effect.gen(function* () {
    const once = () => Effect.provide(sendOnce("k"), Layer.merge(Layer.fresh(layerMemory), service))
    expect(yield* once()).toMatchObject({ isEarlier: false })
    expect(yield* once()).toMatchObject({ isEarlier: false })
  })
)
