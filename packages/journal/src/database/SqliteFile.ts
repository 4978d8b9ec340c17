/**
 * The file of a journal in SQLite: only a file of ours is opened, and none that lost its newest writes.
 *
 * The file alone is the journal. While a write runs, and after a process was killed in one, a `-journal` file
 * lies beside it, which has what the write replaced.
 */
import { failureCode } from "@messaging-topup/core/internal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync
} from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { basename, dirname, join, resolve } from "node:path"
import {
  type JournalError,
  JournalLocked,
  type JournalProblem,
  JournalUnavailable
} from "../model/Errors.ts"

/** For how long a statement waits for another process. */
export const waitSeconds = 10

/** Marks a SQLite file as a journal of this package: "mtjr". */
export const applicationId = 0x6d746a72

/** By SQLite's primary result code. Source: https://sqlite.org/rescode.html */
const problems: Readonly<Record<number, readonly [JournalProblem, string]>> = {
  8: ["read-only", "SQLITE_READONLY"],
  10: ["unreachable", "SQLITE_IOERR"],
  11: ["corrupt", "SQLITE_CORRUPT"],
  13: ["full", "SQLITE_FULL"],
  14: ["unreachable", "SQLITE_CANTOPEN"],
  26: ["corrupt", "SQLITE_NOTADB"]
}

const systemProblems: ReadonlyMap<string | undefined, JournalProblem> = new Map([
  ["EACCES", "read-only"],
  ["EPERM", "read-only"],
  ["EROFS", "read-only"],
  ["ENOENT", "unreachable"]
])

const failure = (error: unknown): JournalError => {
  if (error instanceof JournalUnavailable) return error
  if (Predicate.hasProperty(error, "errcode") && Predicate.isNumber(error.errcode)) {
    const primary = error.errcode & 0xff
    // SQLITE_BUSY, SQLITE_LOCKED
    if (primary === 5 || primary === 6) return new JournalLocked({ waitedSeconds: waitSeconds })
    const [problem, code] = problems[primary] ?? ["other", `SQLite ${error.errcode}`]
    // SQLITE_READONLY_DIRECTORY
    if (error.errcode === 1544) return new JournalUnavailable({ problem: "read-only-folder", code })
    return new JournalUnavailable({ problem, code })
  }
  const code = failureCode(error)
  return new JournalUnavailable({ problem: systemProblems.get(code) ?? "other", code })
}

export const tryTo = <A>(run: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({ try: run, catch: failure })

/** Suppresses Node's warning that the module is experimental: a program may parse stderr. */
const loadSqlite = () => {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The beginning of a file; shorter if the file is. */
const beginningOf = (file: string, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  const descriptor = openSync(file, "r")
  try {
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** Source: https://sqlite.org/fileformat2.html#the_database_header */
const header = { length: 100, magic: "SQLite format 3\0", changeCounter: 24, applicationId: 68 }

/** Read without SQLite, which would write to a file that it has to repair. */
const refuseForeign = (file: string): void => {
  const beginning = beginningOf(file, header.length)
  const isOurs =
    beginning.length === header.length &&
    beginning.toString("latin1", 0, header.magic.length) === header.magic &&
    beginning.readUInt32BE(header.applicationId) === applicationId
  if (!isOurs) throw new JournalUnavailable({ problem: "foreign" })
}

/** Source: https://sqlite.org/fileformat2.html#the_rollback_journal */
const journalHeader = {
  magic: "d9d505f920a163d7",
  length: 28,
  records: 8,
  pagesBefore: 16,
  sectorSize: 20,
  pageSize: 24
}

/**
 * The change counter of the file before the write that a `-journal` file would undo. Undefined if there is
 * nothing to undo. Each write changes the first page, so its old content is there.
 */
const counterBefore = (journal: string): number | undefined => {
  if (!existsSync(journal)) return undefined
  const beginning = beginningOf(journal, journalHeader.length)
  if (
    beginning.length < journalHeader.length ||
    beginning.toString("hex", 0, 8) !== journalHeader.magic
  )
    return undefined
  const records = beginning.readInt32BE(journalHeader.records)
  if (records === 0) return undefined
  if (beginning.readUInt32BE(journalHeader.pagesBefore) === 0) return 0
  const pageSize = beginning.readUInt32BE(journalHeader.pageSize)
  const recordSize = pageSize + 8
  const all = beginningOf(journal, statSync(journal).size)
  for (
    let at = beginning.readUInt32BE(journalHeader.sectorSize);
    at + recordSize <= all.length;
    at += recordSize
  ) {
    if (all.readUInt32BE(at) === 1) return all.readUInt32BE(at + 4 + header.changeCounter)
  }
  return undefined
}

/**
 * A `-journal` file that a killed process left is refused if it belongs to another state of the file, such as
 * one beside a restored backup: SQLite would write its old pages into the backup.
 */
const refuseOtherJournal = (file: string): void => {
  const before = counterBefore(`${file}-journal`)
  if (before === undefined) return
  const beginning = beginningOf(file, header.length)
  const now = beginning.length < header.length ? 0 : beginning.readUInt32BE(header.changeCounter)
  if (now !== before && now !== before + 1) {
    throw new JournalUnavailable({ problem: "other-journal" })
  }
}

/**
 * SQLite's name for a database in memory, one for each connection. The usual `:memory:` looks at every page
 * that ever changed at each commit. Source: `sqlite3PcacheClearWritable` in SQLite's pcache.c
 */
const inMemory = "file:journal?vfs=memdb"

const identity = (file: string): string | undefined => {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}

/** The file behind symbolic links: SQLite puts its `-journal` beside it. */
const realFile = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    try {
      return realFile(resolve(dirname(file), readlinkSync(file)))
    } catch {
      return join(realpathSync(dirname(file)), basename(file))
    }
  }
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Two processes of a first start meet in a file that one of them has just created. */
const firstStartMillis = 10_000

/** Who may create a journal: somebody who must not fill a file that was emptied, or a person who decides that. */
export type Creation = "decided" | "new" | "none"

/** Fails if a journal may not begin here now. */
const requireNew = (
  file: string,
  stats: Stats | undefined,
  creation: Creation,
  now: number
): void => {
  const age = Math.abs(now - (stats?.birthtimeMs ?? now))
  if (creation === "none" || (creation === "new" && age > firstStartMillis)) {
    throw new JournalUnavailable({ problem: "empty" })
  }
  if (!isWritable(dirname(file))) throw new JournalUnavailable({ problem: "read-only-folder" })
}

interface Opened {
  readonly connection: DatabaseSync
  /**
   * Fails if the path of the file now names another file, or none: the next process would not see what this
   * one writes.
   */
  readonly checkFile: Effect.Effect<void, JournalError>
}

const open = (given: string | undefined, creation: Creation, now: number): Opened => {
  const { DatabaseSync: Connection } = loadSqlite()
  if (given === undefined) return { connection: new Connection(inMemory), checkFile: Effect.void }
  if (creation === "none" && identity(given) === undefined) {
    throw new JournalUnavailable({ problem: "missing" })
  }
  const file = realFile(given)
  const stats = statSync(file, { throwIfNoEntry: false })
  // A device or a folder is not a journal, and its rights must not change.
  if (stats?.isFile() === false) throw new JournalUnavailable({ problem: "foreign" })
  refuseOtherJournal(file)
  if (stats === undefined || stats.size === 0) requireNew(file, stats, creation, now)
  else refuseForeign(file)
  // A process that was killed under one name leaves its -journal file there.
  if (stats !== undefined && stats.nlink > 1) throw new JournalUnavailable({ problem: "linked" })
  // A backup on a read-only disk can be looked up, and each write then fails.
  const readOnly = stats !== undefined && !isWritable(file)
  if (!readOnly) {
    closeSync(openSync(file, "a", 0o600))
    chmodSync(file, 0o600)
  }
  const connection = new Connection(file, { timeout: 0, readOnly })
  const opened = identity(file)
  const checkFile = tryTo(() => {
    if (identity(given) !== opened) throw new JournalUnavailable({ problem: "replaced" })
  })
  return { connection, checkFile }
}

/** What another process can look like that writes at this moment. */
const passing: ReadonlySet<JournalProblem> = new Set(["empty", "other-journal"] as const)

export const openFile = (
  file: string | undefined,
  creation: Creation
): Effect.Effect<Opened, JournalError> =>
  Effect.retry(
    Effect.flatMap(Clock.currentTimeMillis, (now) => tryTo(() => open(file, creation, now))),
    {
      while: (error) => error._tag === "JournalUnavailable" && passing.has(error.problem),
      schedule: Schedule.upTo(Schedule.jittered(Schedule.spaced("10 millis")), {
        duration: "1 second"
      })
    }
  )
