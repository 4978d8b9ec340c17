import { describe, expect, it } from "@effect/vitest"
import { isJournalGone, layerMemory } from "@messaging-topup/journal"
import { create, open, SendJournal } from "@messaging-topup/journal/internal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { conformanceTests } from "../harness/journal/Conformance.ts"
import { folder, journalFile } from "../harness/TemporaryFolder.ts"
import { start } from "../harness/journal/Programs.ts"
import { expectShared } from "../harness/journal/Replicas.ts"
import { service } from "../harness/journal/Service.ts"
import { rewriting, statements } from "../harness/journal/Statements.ts"
import { testTime } from "../harness/journal/Time.ts"

const sms = { recipient: "+15550101234", message: "Your code is 4711" }

const inFile = <A, E, R>(file: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, Layer.mergeAll(Sqlite.layer(file), service, testTime))

const sendOnce = (key: string) =>
  Effect.flatMap(SendJournal, (journal) => journal.sendOnce(key, sms))

/** The error of a journal that cannot be opened. */
const refusal = (file: string) => Effect.flip(Effect.scoped(Layer.build(Sqlite.layer(file))))

/** What is the result when no other process fills or ends what is there. */
const inTheEnd = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const waiting = yield* Effect.forkChild(effect)
    yield* TestClock.adjust("3 seconds")
    return yield* Fiber.join(waiting)
  })

const inMemory = "memory"

/** Opens a journal as a program that may create none. */
const existing = (file: string) =>
  Effect.scoped(
    Layer.build(open(file === inMemory ? { _tag: "Memory" } : { _tag: "Sqlite", file }))
  )

type Body = (
  file: string
) => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>

/** A test on a file that does not exist yet. */
const onFile = (title: string, body: Body) =>
  it.effect(title, () => Effect.flatMap(journalFile, (file) => Effect.gen(() => body(file))))

/** And on a journal with a send. */
const onSent = (title: string, body: Body) =>
  onFile(title, function* (file) {
    yield* inFile(file, sendOnce("k"))
    yield* Effect.gen(() => body(file))
  })

/** What is in the folder of a file, with rights and bytes. */
const filesAndBytes = (file: string) =>
  filesBeside(file).map((name) => {
    const path = join(dirname(file), name)
    return [name, statSync(path).mode & 0o777, readFileSync(path).toString("base64")]
  })

const filesBeside = (file: string) => readdirSync(dirname(file)).toSorted()

describe("a journal in a file", () => {
  it.effect.each(conformanceTests)("%s", ([, test]) =>
    Effect.flatMap(journalFile, (file) => inFile(file, test))
  )

  onFile("knows after a restart what was sent before, and is a single file then", function* (file) {
    const first = yield* inFile(file, sendOnce("k"))
    expect(filesBeside(file)).toEqual([basename(file)])
    expect(yield* inFile(file, sendOnce("k"))).toEqual({ ...first, isEarlier: true })
  })

  onFile("is whole without any other file, also while it is in use", function* (file) {
    const copy = `${file}.copy`
    yield* inFile(
      file,
      Effect.andThen(
        sendOnce("k"),
        Effect.sync(() => copyFileSync(file, copy))
      )
    )
    expect(yield* inFile(copy, sendOnce("k"))).toMatchObject({ isEarlier: true })
  })

  onFile("is readable only by its owner, and so is its -journal file", function* (file) {
    yield* inFile(file, Effect.void)
    chmodSync(file, 0o644)
    const modes = Effect.sync(() =>
      filesBeside(file).map((name) => statSync(join(dirname(file), name)).mode & 0o777)
    )
    expect(yield* inFile(file, Effect.andThen(sendOnce("k"), modes))).toEqual([0o600, 0o600])
  })

  onFile("waits for every commit to be on the disk", function* (file) {
    const ran = yield* statements(inFile(file, sendOnce("k")))
    expect(ran).toContain(
      "pragma journal_mode = persist; pragma synchronous = full; pragma cache_spill = off"
    )
  })

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
      yield* Effect.promise(holder.nextLine)
      let begins = 0
      const releaseAtThirdBegin = (sql: string) => {
        if (sql === "begin immediate" && ++begins === 3) holder.kill("SIGKILL")
        return sql
      }
      const sent = yield* rewriting(releaseAtThirdBegin, inFile(file, sendOnce("k")))
      expect(sent).toMatchObject({ isEarlier: false })
      expect(begins).toBeGreaterThan(3)
    })
  )

  onFile("fails all waiting calls after the same time, however many they are", function* (file) {
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

  onSent("tells the end of a key while another process holds its lock", function* (file) {
    const test = Effect.gen(function* () {
      const other = new DatabaseSync(file)
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      other.exec("begin immediate")
      const changed = Effect.flatMap(SendJournal, (journal) =>
        journal.sendOnce("k", { ...sms, message: "Your code is 4712" })
      )
      const calls = [sendOnce("k"), changed, sendOnce("new")].map(Effect.result)
      const waiting = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }))
      yield* TestClock.adjust("11 seconds")
      expect(yield* Fiber.join(waiting)).toMatchObject([
        { success: { isEarlier: true } },
        { failure: { _tag: "KeyConflict" } },
        { failure: { _tag: "JournalLocked", sendOutcome: "unknown" } }
      ])
      expect(yield* (yield* Sandbox).messages()).toEqual([])
    })
    yield* inFile(file, Effect.scoped(test))
  })

  onFile(
    "a call that is interrupted before it has claimed ends at once, and its key is free",
    function* (file) {
      const test = Effect.gen(function* () {
        const other = new DatabaseSync(file)
        yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
        other.exec("begin immediate")
        const first = yield* Effect.forkChild(sendOnce("k"))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(first)
        other.exec("rollback")
        // Its claim is made after all, and given back.
        yield* TestClock.adjust("1 second")
        const sends = Effect.flatMap(SendJournal, ({ operator }) =>
          operator.list({ isUnknown: false, recipients: undefined })
        )
        expect(yield* sends).toEqual([])
        expect(yield* sendOnce("k")).toMatchObject({ isEarlier: false })
        expect(yield* (yield* Sandbox).messages()).toHaveLength(1)
      })
      yield* inFile(file, Effect.scoped(test))
    }
  )

  onFile("commits once another process has read", function* (file) {
    const test = Effect.gen(function* () {
      const other = new DatabaseSync(file)
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      other.exec("begin; select * from send")
      const waiting = yield* Effect.forkChild(sendOnce("k"))
      yield* TestClock.adjust("1 second")
      expect(waiting.pollUnsafe()).toBeUndefined()
      other.exec("commit")
      yield* TestClock.adjust("1 second")
      return yield* Fiber.join(waiting)
    })
    expect(yield* inFile(file, Effect.scoped(test))).toMatchObject({ isEarlier: false })
  })

  onFile(
    "sends nothing after it was removed or replaced while in use, also behind a link",
    function* (file) {
      const link = join(dirname(yield* journalFile), "link.db")
      symlinkSync(file, link)
      const refused = Effect.map(Effect.flip(sendOnce("k2")), (error) => {
        expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "replaced" })
        expect(error.message).toContain("was removed or replaced while it was in use")
      })
      const test = Effect.gen(function* () {
        const { messages } = yield* Sandbox
        yield* sendOnce("k")
        renameSync(file, `${file}.away`)
        yield* refused
        copyFileSync(`${file}.away`, file)
        yield* refused
        renameSync(`${file}.away`, file)
        expect(yield* sendOnce("k2")).toMatchObject({ isEarlier: false })
        expect(yield* messages()).toHaveLength(2)
      })
      yield* inFile(file, test)
      rmSync(file)
      yield* inFile(link, test)
      // The link did not become a file of its own.
      expect(filesBeside(link)).toEqual(["link.db"])
    }
  )

  onFile("sends nothing after it was emptied while in use, and says so", function* (file) {
    const test = Effect.gen(function* () {
      const { messages } = yield* Sandbox
      yield* sendOnce("k")
      const bytes = readFileSync(file)
      truncateSync(file)
      const error = yield* Effect.flip(sendOnce("k2"))
      expect(error).toMatchObject({ _tag: "JournalUnavailable", problem: "empty" })
      writeFileSync(file, bytes)
      expect(yield* sendOnce("k2")).toMatchObject({ isEarlier: false })
      expect(yield* messages()).toHaveLength(2)
    })
    yield* inFile(file, test)
  })
})

/** A `-journal` file that a killed process leaves: it would restore the first page of `of`. */
const hotJournal = (of: string): Buffer => {
  const page = readFileSync(of).subarray(0, 4096)
  const journal = Buffer.alloc(512 + 4 + page.length + 4)
  journal.write("d9d505f920a163d7", 0, "hex")
  const header = [1, 7, statSync(of).size / page.length, 512, page.length]
  for (const [index, value] of header.entries()) journal.writeUInt32BE(value, 8 + 4 * index)
  journal.writeUInt32BE(1, 512)
  page.copy(journal, 516)
  let checksum = 7
  for (let at = page.length - 200; at > 0; at -= 200) checksum += page[at] ?? 0
  journal.writeUInt32BE(checksum, 516 + page.length)
  return journal
}

/** The one of a first start: it has no page, and SQLite empties the file that it lies beside. */
const hotFirstJournal = (): Buffer => {
  const journal = Buffer.alloc(512)
  journal.write("d9d505f920a163d7", 0, "hex")
  for (const [index, value] of [0, 7, 0, 512, 4096].entries()) {
    journal.writeUInt32BE(value, 8 + 4 * index)
  }
  return journal
}

describe("a file with a -journal file of a killed process", () => {
  onSent("is repaired if they belong together", function* (file) {
    writeFileSync(`${file}-journal`, hotJournal(file))
    expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: true })
    expect(filesBeside(file)).toEqual([basename(file)])
  })

  onSent("is repaired if the write made it longer, and had only begun", function* (file) {
    writeFileSync(`${file}-journal`, hotJournal(file))
    const bytes = readFileSync(file)
    const counter = bytes.readUInt32BE(24) + 1
    for (const at of [24, 92]) bytes.writeUInt32BE(counter, at)
    bytes.writeUInt32BE(bytes.length / 4096 + 5, 28)
    writeFileSync(file, bytes)
    expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: true })
  })

  onSent("is refused if it is a restored backup, and is left as it is", function* (file) {
    const backup = readFileSync(file)
    yield* inFile(file, Effect.andThen(sendOnce("l"), sendOnce("m")))
    writeFileSync(`${file}-journal`, hotJournal(file))
    writeFileSync(file, backup)
    const error = yield* inTheEnd(refusal(file))
    expect(error).toMatchObject({ problem: "other-journal" })
    expect(error.message).toContain("if the file is a restored backup, move the -journal file")
    expect(readFileSync(file).equals(backup)).toBe(true)
    rmSync(`${file}-journal`)
    expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: true })
  })

  const backups: Readonly<Record<string, (file: string, backup: string) => void>> = {
    "a copy": copyFileSync,
    // Its change counter begins anew.
    "by vacuum": (file, backup) => new DatabaseSync(file).exec(`vacuum into '${backup}'`)
  }

  it.effect.each(Object.entries(backups))(
    "is refused if it is a backup beside that of a first start, and is left as it is: %s",
    ([, backUp]) =>
      Effect.gen(function* () {
        const [file, backup] = [yield* journalFile, yield* journalFile]
        yield* inFile(file, sendOnce("k"))
        backUp(file, backup)
        const bytes = readFileSync(backup)
        writeFileSync(`${backup}-journal`, hotFirstJournal())
        const decided = Effect.flip(create({ _tag: "Sqlite", file: backup }))
        expect(yield* inTheEnd(refusal(backup))).toMatchObject({ problem: "other-journal" })
        expect(yield* inTheEnd(decided)).toMatchObject({ problem: "other-journal" })
        expect(readFileSync(backup).equals(bytes)).toBe(true)
        rmSync(`${backup}-journal`)
        expect(yield* inFile(backup, sendOnce("k"))).toMatchObject({ isEarlier: true })
      })
  )

  onFile("is said to be empty if its first start was killed in the commit", function* (file) {
    yield* inFile(file, Effect.void)
    const bytes = readFileSync(file)
    // The first page is written first, the others in their order.
    for (const length of [0, 4096, bytes.length - 4096, bytes.length]) {
      writeFileSync(file, bytes.subarray(0, length))
      writeFileSync(`${file}-journal`, hotFirstJournal())
      const error = yield* inTheEnd(refusal(file))
      expect(error, String(length)).toMatchObject({ problem: "empty" })
      yield* create({ _tag: "Sqlite", file })
      yield* existing(file)
      expect(filesBeside(file)).toEqual([basename(file)])
    }
  })

  onSent("does no harm to a backup, if the process was killed in a large write", function* (file) {
    const backup = readFileSync(file)
    const database = new DatabaseSync(file)
    const columns = "owner, ticket, request, recipient, content, state, claimed_at, stale_at"
    database.exec(`with recursive number(n) as (select 1 union all select n + 1 from number where n < 40000)
        insert into send (key, attempt, ${columns})
        select 'c/' || n, 0, 'campaign', 't', 'r', 'n', 'x', 'unknown', 0, 0 from number`)
    database.close()
    const killed = `${file}.killed`
    const beforeCommit = (sql: string): string => {
      if (sql === "commit") copyFileSync(`${file}-journal`, `${killed}-journal`)
      return sql
    }
    const decide = Effect.flatMap(SendJournal, ({ resolve }) =>
      resolve({ campaign: "c" }, "not-sent")
    )
    expect(yield* inFile(file, rewriting(beforeCommit, decide))).toMatchObject({
      changed: 40_000
    })
    writeFileSync(killed, backup)
    expect(yield* inFile(killed, sendOnce("k"))).toMatchObject({ isEarlier: true })
    // SQLite would have written the old pages of the large write into it.
    expect(statSync(killed).size).toBe(backup.length)
  })
})

describe("a file that is not a journal", () => {
  const databaseWith = (file: string, sql: string) => {
    const database = new DatabaseSync(file)
    database.exec(sql)
    database.close()
  }

  const foreign: Readonly<Record<string, (file: string) => void>> = {
    "a letter": (file) => writeFileSync(file, "Not a database, but a letter. ".repeat(100)),
    "a short text": (file) => writeFileSync(file, "Hi"),
    "a database": (file) => databaseWith(file, "create table customer (id integer)"),
    "a database with a table of the same name": (file) =>
      databaseWith(file, "create table send (id integer); create table setting (name text)"),
    "a database in WAL mode": (file) =>
      databaseWith(file, "pragma journal_mode = wal; pragma application_id = 7; create table t (a)")
  }

  it.effect.each(Object.entries(foreign))(
    "is refused, and keeps its rights and its bytes: %s",
    ([, make]) =>
      Effect.gen(function* () {
        const file = yield* journalFile
        make(file)
        chmodSync(file, 0o644)
        const before = readFileSync(file)
        const link = `${file}.link`
        symlinkSync(file, link)
        for (const path of [file, link]) {
          const error = yield* refusal(path)
          expect(error).toMatchObject({ problem: "foreign" })
          // It may be what is left of a damaged journal.
          expect(isJournalGone(error)).toBe(true)
          expect(error.message).toContain("if it was one, it is damaged")
        }
        expect(statSync(file).mode & 0o777).toBe(0o644)
        expect(readFileSync(file).equals(before)).toBe(true)
        expect(filesBeside(file)).toEqual([basename(file), basename(link)])
      })
  )

  it.effect("is refused if it is a device or a folder, and keeps its rights", () =>
    Effect.gen(function* () {
      for (const path of ["/dev/null", yield* folder]) {
        const { mode } = statSync(path)
        expect(yield* refusal(path)).toMatchObject({ problem: "foreign" })
        expect(statSync(path).mode).toBe(mode)
      }
    })
  )

  it.effect("is refused if its folder does not exist", () =>
    Effect.gen(function* () {
      const error = yield* refusal("/nowhere/journal.db")
      expect(error).toMatchObject({ problem: "unreachable", code: "ENOENT" })
      expect(error.message).toContain(
        "check that its folder or URL is correct, and that this user may use it"
      )
    })
  )

  const left: Readonly<Record<string, (file: string) => void>> = {
    alone: () => {},
    "with the -journal of a killed process": (file) =>
      writeFileSync(`${file}-journal`, hotJournal(file)),
    // Of a viewer that was killed.
    "with WAL files": (file) => {
      const viewer = new DatabaseSync(file)
      viewer.exec("pragma journal_mode = wal; update setting set value = value")
      for (const end of ["", "-wal", "-shm"]) copyFileSync(file + end, `${file}.left${end}`)
      viewer.close()
      for (const end of ["", "-wal", "-shm"]) renameSync(`${file}.left${end}`, file + end)
    }
  }

  it.effect.each(Object.entries(left))(
    "stays as it is if a person would create one: %s",
    ([, leave]) =>
      Effect.gen(function* () {
        const file = yield* journalFile
        yield* inFile(file, sendOnce("k"))
        leave(file)
        chmodSync(file, 0o644)
        const before = filesAndBytes(file)
        expect(yield* create({ _tag: "Sqlite", file })).toBeUndefined()
        expect(filesAndBytes(file)).toEqual(before)
      })
  )

  const otherVersions = [
    ["2", "no release wrote this version, and it was left as it is"],
    ["3", "no release wrote this version, and it was left as it is"],
    ["10", "no release wrote this version, and it was left as it is"],
    ["99", "another version of this package wrote it, probably a newer one: update this package"]
  ] as const

  it.effect.each(
    otherVersions.flatMap(([version, says]) =>
      Object.entries(left).map(([how, leave]) => ({ version, says, how, leave }))
    )
  )(
    "is refused if it is of version $version, and all of it stays: $how",
    ({ leave, says, version }) =>
      Effect.gen(function* () {
        const file = yield* journalFile
        yield* inFile(file, sendOnce("k"))
        databaseWith(file, `update setting set value = '${version}' where name = 'version'`)
        leave(file)
        chmodSync(file, 0o644)
        const before = filesAndBytes(file)
        const ways = { opened: refusal(file), "looked at": Effect.flip(existing(file)) }
        for (const [way, refused] of Object.entries(ways)) {
          const error = yield* refused
          expect(error, way).toMatchObject({ _tag: "JournalUnavailable" })
          expect(error.message).toContain(`(version ${version}): ${says}`)
        }
        const decided = yield* Effect.flip(create({ _tag: "Sqlite", file }))
        expect(decided.message).toContain(says)
        expect(filesAndBytes(file)).toEqual(before)
      })
  )

  it.effect.each([
    "delete from setting where name = 'version'",
    "delete from setting where name = 'digest'",
    "delete from setting",
    "drop table setting",
    "drop table send",
    "drop table campaign",
    "drop table approval",
    "drop index send_key",
    "drop table setting; drop table send; drop table campaign; drop table approval"
  ])("is refused if a part of it is lost, and gets no new one: %s", (sql) =>
    Effect.gen(function* () {
      const file = yield* journalFile
      yield* inFile(file, sendOnce("k"))
      databaseWith(file, sql)
      const before = readFileSync(file)
      for (const refused of [refusal(file), Effect.flip(existing(file))]) {
        const error = yield* refused
        expect(error).toMatchObject({ problem: "incomplete" })
        expect(isJournalGone(error)).toBe(true)
        expect(error.message).toContain("what they do not have is sent again")
      }
      expect(readFileSync(file).equals(before)).toBe(true)
    })
  )

  onFile(
    "is refused if it was emptied, however new it is, and stays empty until a person fills it",
    function* (file) {
      yield* inFile(file, sendOnce("k"))
      writeFileSync(file, "")
      yield* TestClock.setTime(statSync(file).birthtimeMs)
      const ways = {
        "as who may create one": refusal(file),
        "as who may not": Effect.flip(existing(file))
      }
      for (const [way, refused] of Object.entries(ways)) {
        const error = yield* inTheEnd(refused)
        expect(error, way).toMatchObject({ problem: "empty" })
        expect(isJournalGone(error)).toBe(true)
        expect(error.message).toContain(
          "if nothing was sent before, messaging-topup init fills it, once; otherwise, a backup"
        )
      }
      expect(statSync(file).size).toBe(0)
      expect(filesBeside(file)).toEqual([basename(file)])
      const created = create({ _tag: "Sqlite", file })
      expect(yield* created).toContain(`A new journal was created: ${file}`)
      expect(yield* created).toBeUndefined()
      yield* existing(file)
    }
  )

  onFile("is one for all who start first at the same time", function* (file) {
    const digest = Effect.map(SendJournal, (journal) => journal.digest(["a"]))
    const all = Array.from({ length: 5 }, () => inFile(file, digest))
    const digests = yield* TestClock.withLive(Effect.all(all, { concurrency: "unbounded" }))
    expect(new Set(digests).size).toBe(1)
  })

  onFile("is said to be empty after a first start of which any statement fails", function* (file) {
    const ran = yield* statements(inFile(`${file}.whole`, Effect.void))
    const firstStart = ran.slice(0, ran.indexOf("commit") + 1)
    expect(firstStart.length).toBeGreaterThan(12)
    for (const failing of firstStart.keys()) {
      let at = 0
      yield* rewriting((sql) => (at++ === failing ? "no sql" : sql), refusal(file))
      expect(readdirSync(dirname(file)), firstStart[failing]).toEqual([
        basename(file),
        `${basename(file)}.whole`
      ])
      const error = yield* inTheEnd(refusal(file))
      expect(error, firstStart[failing]).toMatchObject({ problem: "empty" })
      expect(error.message).toContain("its first start did not end")
      yield* create({ _tag: "Sqlite", file })
      expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: false })
      rmSync(file)
    }
  })

  it.effect("is not created by who may create none", () =>
    Effect.gen(function* () {
      const path = yield* folder
      for (const file of [join(path, "journal.db"), join(path, "none", "journal.db"), inMemory]) {
        expect(yield* Effect.flip(existing(file))).toMatchObject({ problem: "missing" })
      }
      expect(readdirSync(path)).toEqual([])
    })
  )

  onSent("is refused under each of two names", function* (file) {
    const other = `${file}.other`
    linkSync(file, other)
    for (const name of [file, other]) {
      expect(yield* refusal(name)).toMatchObject({ problem: "linked" })
    }
    rmSync(other)
    expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: true })
  })

  onSent("is an error, and no wrong result, if its rows are damaged", function* (file) {
    const again = Effect.flip(inFile(file, sendOnce("k")))
    databaseWith(file, "update send set messages = 'nonsense'")
    expect(yield* again).toMatchObject({ problem: "corrupt" })
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096)
    writeFileSync(file, bytes)
    expect(yield* again).toMatchObject({ _tag: "JournalUnavailable" })
  })

  // Only root can become another user.
  it.effect.skipIf(process.getuid?.() !== 0)(
    "of another user is refused although it can be written, and the error says who can use it",
    () =>
      Effect.gen(function* () {
        const file = yield* journalFile
        yield* inFile(file, sendOnce("k"))
        chmodSync(file, 0o666)
        chmodSync(dirname(file), 0o777)
        const error = yield* Effect.acquireUseRelease(
          Effect.sync(() => process.seteuid?.(65_534)),
          () => refusal(file),
          () => Effect.sync(() => process.seteuid?.(0))
        )
        expect(error).toMatchObject({ problem: "read-only", code: "EPERM" })
        expect(error.message).toContain("only its owner can write a file, so run as that user")
        expect(yield* inFile(file, sendOnce("k"))).toMatchObject({ isEarlier: true })
      })
  )

  // Root may write everything.
  it.effect.skipIf(process.getuid?.() === 0)(
    "names its folder if only that cannot be written",
    () =>
      Effect.gen(function* () {
        const file = yield* journalFile
        const expected = { problem: "read-only-folder" }
        chmodSync(dirname(file), 0o500)
        expect(yield* refusal(file)).toMatchObject(expected)
        chmodSync(dirname(file), 0o700)
        yield* inFile(file, Effect.void)
        chmodSync(dirname(file), 0o500)
        expect(yield* Effect.flip(inFile(file, sendOnce("k")))).toMatchObject(expected)
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
