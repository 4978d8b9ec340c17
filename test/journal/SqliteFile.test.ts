import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal"
import { openToRead } from "@messaging-topup/journal/open"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { journalFile } from "./support/Files.ts"
import { smallDisk } from "./support/SmallDisk.ts"

const row = { key: "a", request: { recipient: "+15550101234", message: "Hi" } }

const append = Effect.flatMap(SendJournal, (journal) => journal.append("c", [row]))

const slices = Effect.flatMap(SendJournal, (journal) => journal.slices("c"))

const writing = <A, E, R>(file: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, Sqlite.layer(file))

const reading = <A, E, R>(file: string, use: Effect.Effect<A, E, R>) =>
  Effect.provide(use, openToRead({ _tag: "Sqlite", file }))

/** A journal with one row. */
const journal = Effect.tap(journalFile, (file) => writing(file, append))

const filesBeside = (file: string) => readdirSync(dirname(file))

/** Copies the file and all files of SQLite beside it. */
const copyAll = (file: string, to: string): void => {
  for (const end of ["", "-wal", "-shm"]) copyFileSync(file + end, to + end)
}

describe("a journal opened to read", () => {
  it.live("does not wait for a process that writes, and sees what it has committed", () =>
    Effect.gen(function* () {
      const file = yield* journal
      const test = Effect.gen(function* () {
        const other = new DatabaseSync(file)
        other.exec("begin immediate")
        expect(yield* reading(file, slices)).toHaveLength(1)
        other.exec("rollback")
        other.close()
      })
      yield* writing(file, test)
    })
  )

  it.live("is not changed, and nothing is created", () =>
    Effect.gen(function* () {
      const file = yield* journal
      const before = readFileSync(file)
      expect(yield* reading(file, slices)).toHaveLength(1)
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(yield* Effect.flip(reading(file, append))).toMatchObject({ problem: "read-only" })
      const none = join(dirname(file), "none.db")
      expect(yield* Effect.flip(reading(none, slices))).toMatchObject({ problem: "unreachable" })
      writeFileSync(none, "", { mode: 0o644 })
      expect(yield* Effect.flip(reading(none, slices))).toMatchObject({ problem: "corrupt" })
      expect(statSync(none).mode & 0o777).toBe(0o644)
      expect(filesBeside(file)).toEqual([basename(file), "none.db"])
    })
  )

  it.live("is a single file again if the last process that writes closes in the meantime", () =>
    Effect.gen(function* () {
      const file = yield* journal
      yield* reading(file, Effect.andThen(slices, writing(file, slices)))
      expect(filesBeside(file)).toEqual([basename(file)])
    })
  )

  it.live(
    "may be on a disk that cannot be written, also if its last process was killed",
    (context) =>
      Effect.gen(function* () {
        const disk = yield* smallDisk
        if (disk === undefined) return context.skip("mounting a small disk is not allowed")
        const [closed, killed] = [join(disk.path, "closed.db"), join(disk.path, "killed.db")]
        const source = yield* journalFile
        yield* writing(
          source,
          Effect.andThen(
            append,
            Effect.sync(() => copyAll(source, killed))
          )
        )
        copyFileSync(source, closed)
        disk.makeReadOnly()
        expect(yield* reading(closed, slices)).toHaveLength(1)
        expect(yield* reading(killed, slices)).toHaveLength(1)
      })
  )
})

describe("the export of a journal", () => {
  it.live("is a single file with all that was written, while the journal is in use", () =>
    Effect.gen(function* () {
      const file = yield* journalFile
      const to = join(dirname(file), "export.db")
      yield* writing(file, Effect.andThen(append, Sqlite.exportTo(file, to)))
      expect(filesBeside(file)).toEqual(["export.db", basename(file)])
      expect(statSync(to).mode & 0o777).toBe(0o600)
      const elsewhere = join(dirname(file), "elsewhere")
      mkdirSync(elsewhere)
      copyFileSync(to, join(elsewhere, "moved.db"))
      expect(yield* writing(join(elsewhere, "moved.db"), slices)).toHaveLength(1)
    })
  )

  it.live("replaces no file, and leaves none if it fails", () =>
    Effect.gen(function* () {
      const file = yield* journal
      const to = join(dirname(file), "export.db")
      writeFileSync(to, "A letter")
      expect(yield* Effect.flip(Sqlite.exportTo(file, to))).toMatchObject({ code: "EEXIST" })
      expect(readFileSync(to, "utf8")).toBe("A letter")
      const none = join(dirname(file), "none.db")
      const other = join(dirname(file), "other.db")
      expect(yield* Effect.flip(Sqlite.exportTo(none, other))).toMatchObject({
        problem: "unreachable"
      })
      expect(existsSync(other)).toBe(false)
      expect(filesBeside(file)).toEqual(["export.db", basename(file)])
    })
  )
})
