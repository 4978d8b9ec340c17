/**
 * The file of a journal in SQLite: only a file of ours is opened, and none that lost its newest writes.
 *
 * The file alone is the journal. While a write runs, and after a process was killed in one, a `-journal` file
 * lies beside it, which has what the write replaced.
 *
 * SQLite opens the file, and nothing else. POSIX locks belong to the process, and a close of any descriptor of a file
 * drops them all: SQLite keeps its own descriptors open meanwhile, in all threads. Source:
 * https://sqlite.org/howtocorrupt.html, 2.2
 */
import { failureCode } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import {
  accessSync,
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync
} from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { basename, dirname, join, resolve } from "node:path"
import { refusalOf, versionSql } from "./Schema.ts"
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

/** By the whole result code. */
const exactProblems: Readonly<Record<number, JournalProblem>> = {
  // SQLITE_ERROR: the tables were there when the journal was opened.
  1: "replaced",
  // SQLITE_READONLY_DBMOVED
  1032: "replaced",
  // SQLITE_READONLY_DIRECTORY
  1544: "read-only-folder"
}

const systemProblems: ReadonlyMap<string | undefined, JournalProblem> = new Map([
  ["EACCES", "read-only"],
  ["EPERM", "read-only"],
  ["EROFS", "read-only"],
  ["ENOENT", "unreachable"],
  ["ENOTDIR", "unreachable"]
])

const failure = (error: unknown): JournalError => {
  if (error instanceof JournalUnavailable) return error
  if (Predicate.hasProperty(error, "errcode") && Predicate.isNumber(error.errcode)) {
    const primary = error.errcode & 0xff
    // SQLITE_BUSY, SQLITE_LOCKED
    if (primary === 5 || primary === 6) return new JournalLocked({ waitedSeconds: waitSeconds })
    const [problem, code] = problems[primary] ?? ["other", `SQLite ${error.errcode}`]
    return new JournalUnavailable({ problem: exactProblems[error.errcode] ?? problem, code })
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

type Connect = typeof DatabaseSync

/** SQLite's own form of a path, with what it may do with the file. Source: https://sqlite.org/uri.html */
const uri = (file: string, query: string): string =>
  `file:${file.replaceAll(/[%?#]/g, encodeURIComponent)}?${query}`

/** A file as it is, without its -journal, without a lock, and without a file beside it. */
const asItIs = "immutable=1"

/**
 * Looks into a file. With `writable_schema`, also into one that is shorter than it says, as while a write makes it
 * longer. Later versions of Node refuse that by default.
 */
const look = <A>(
  Connection: Connect,
  file: string,
  how: string,
  use: (valueOf: (sql: string) => unknown) => A
): A => {
  const options = { readOnly: true, timeout: 0, defensive: false }
  const connection = new Connection(uri(file, how), options)
  try {
    connection.exec("pragma writable_schema = on")
    return use((sql) => Object.values(connection.prepare(sql).get() ?? {})[0])
  } finally {
    connection.close()
  }
}

const idSql = "pragma application_id"

const hasCode = (error: unknown, code: number): boolean =>
  Predicate.hasProperty(error, "errcode") && error.errcode === code

/** What cannot be read, because it is lost, or because a write has just begun it. */
const ifReadable = (read: () => unknown): unknown => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Refuses what is no journal, or one of another version, before anything of it changes. */
const refuseForeign = (Connection: Connect, file: string): void => {
  const { id, version } = look(Connection, file, asItIs, (valueOf) => {
    try {
      const found = valueOf(idSql)
      return { id: found, version: ifReadable(() => valueOf(versionSql("setting"))) }
    } catch (error) {
      // SQLITE_NOTADB
      if (hasCode(error, 26)) return { id: undefined, version: undefined }
      throw error
    }
  })
  if (id !== applicationId) throw new JournalUnavailable({ problem: "foreign" })
  const refusal = typeof version === "string" ? refusalOf(version) : undefined
  if (refusal !== undefined) throw refusal
}

/** Whether SQLite would roll the file back: then no connection has a lock to write, in this process or another. */
const isToRollBack = (Connection: Connect, file: string): boolean => {
  try {
    look(Connection, file, "mode=ro", (valueOf) => valueOf(idSql))
    return false
  } catch (error) {
    // SQLITE_BUSY. It is SQLITE_READONLY_ROLLBACK otherwise, which Deno does not tell.
    return !hasCode(error, 5)
  }
}

/** What a first start writes in one piece cannot be read before its end. */
const hasSends = (Connection: Connect, file: string): boolean => {
  const sql = "select 1 from send union all select 1 from campaign limit 1"
  return ifReadable(() => look(Connection, file, asItIs, (valueOf) => valueOf(sql))) !== undefined
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

/** Source: https://sqlite.org/fileformat2.html#file_change_counter */
const changeCounter = 24

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
 * The change counter of the file before the write that a `-journal` file would undo; 0 if the file was empty. Undefined
 * if there is nothing to undo. Each write changes the first page, so its old content is there.
 */
const counterBefore = (journal: string): number | undefined => {
  if (!existsSync(journal)) return undefined
  const beginning = beginningOf(journal, journalHeader.length)
  if (
    beginning.length < journalHeader.length ||
    beginning.toString("hex", 0, 8) !== journalHeader.magic
  )
    return undefined
  if (beginning.readUInt32BE(journalHeader.pagesBefore) === 0) return 0
  if (beginning.readInt32BE(journalHeader.records) === 0) return undefined
  const pageSize = beginning.readUInt32BE(journalHeader.pageSize)
  const recordSize = pageSize + 8
  const all = beginningOf(journal, statSync(journal).size)
  for (
    let at = beginning.readUInt32BE(journalHeader.sectorSize);
    at + recordSize <= all.length;
    at += recordSize
  ) {
    if (all.readUInt32BE(at) === 1) return all.readUInt32BE(at + 4 + changeCounter)
  }
  return undefined
}

/**
 * SQLite does not tell the change counter. So the file is opened here, in this one case: SQLite has just said that nobody
 * has a lock to write. Only another thread of this process that opens the same file in this moment, and begins to write
 * before the close, could lose its lock.
 */
const counterOf = (file: string): number => {
  const beginning = beginningOf(file, changeCounter + 4)
  return beginning.length < changeCounter + 4 ? 0 : beginning.readUInt32BE(changeCounter)
}

/**
 * Whether a file is empty for SQLite, which undoes what a killed process had not committed.
 *
 * The `-journal` file that such a process left is refused if it belongs to another state of the file, such as one beside
 * a restored backup: SQLite would write its old pages into the backup. A backup by `vacuum into` begins to count anew, so
 * that the count does not tell it from the first commit of a journal; its sends do. Nothing tells it from the second one.
 */
const isEmptyInTheEnd = (Connection: Connect, file: string, isEmpty: boolean): boolean => {
  const before = counterBefore(`${file}-journal`)
  if (before === undefined || (!isEmpty && !isToRollBack(Connection, file))) return isEmpty
  const now = isEmpty ? 0 : counterOf(file)
  const isOther = now !== before && now !== before + 1
  if (isOther || (before === 0 && !isEmpty && hasSends(Connection, file))) {
    throw new JournalUnavailable({ problem: "other-journal" })
  }
  return before === 0
}

/**
 * SQLite's name for a database in memory, one for each connection. The usual `:memory:` looks at every page
 * that ever changed at each commit. Source: `sqlite3PcacheClearWritable` in SQLite's pcache.c
 */
const inMemory = "file:journal?vfs=memdb"

const statsOf = (file: string): BigIntStats | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false })

const identity = (stats: BigIntStats | undefined): string | undefined =>
  stats && `${stats.dev} ${stats.ino}`

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

/** Who may create a journal: somebody who must not fill a file that was emptied, or a person who decides that. */
export type Creation = "decided" | "new" | "none"

/**
 * Only its creator fills an empty file, or a person. So nobody else has a lock on it here, which the close would drop.
 */
const createFile = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (error) {
    throw failureCode(error) === "EEXIST" ? new JournalUnavailable({ problem: "empty" }) : error
  }
}

interface Opened {
  readonly connection: DatabaseSync
  /**
   * Fails if the path of the file now names another file, or none: the next process would not see what this
   * one writes. Fails, too, if something emptied the file: SQLite says of it what it says of other faults.
   */
  readonly checkFile: Effect.Effect<void, JournalError>
  /** Whether it was opened to be read alone, and can be written now. */
  readonly isOutdated: () => boolean
}

/** Looks at what is there, and changes nothing. */
const lookAt = (Connection: Connect, given: string) => {
  const file = realFile(given)
  const found = statsOf(file)
  // A device or a folder is not a journal, and its rights must not change.
  if (found?.isFile() === false) throw new JournalUnavailable({ problem: "foreign" })
  const hasBytes = found !== undefined && found.size > 0n
  if (hasBytes) refuseForeign(Connection, file)
  return { file, found, isEmpty: isEmptyInTheEnd(Connection, file, !hasBytes) }
}

const open = (given: string | undefined, creation: Creation): Opened => {
  const { DatabaseSync: Connection } = loadSqlite()
  if (given === undefined) {
    return {
      connection: new Connection(inMemory),
      checkFile: Effect.void,
      isOutdated: () => false
    }
  }
  if (creation === "none" && statsOf(given) === undefined) {
    throw new JournalUnavailable({ problem: "missing" })
  }
  const { file, found, isEmpty } = lookAt(Connection, given)
  if (isEmpty) {
    if (found !== undefined && creation !== "decided") {
      throw new JournalUnavailable({ problem: "empty" })
    }
    if (!isWritable(dirname(file))) throw new JournalUnavailable({ problem: "read-only-folder" })
  }
  // A process that was killed under one name leaves its -journal file there.
  if (found !== undefined && found.nlink > 1n) throw new JournalUnavailable({ problem: "linked" })
  if (found === undefined) createFile(file)
  // Before SQLite opens it: what replaces it in between is noticed.
  const opened = identity(found ?? statsOf(file))
  // A backup on a read-only disk can be looked up, and each write then fails.
  const readOnly = found !== undefined && !isWritable(file)
  if (!readOnly) chmodSync(file, 0o600)
  const how = readOnly ? "mode=ro" : "mode=rw"
  const connection = new Connection(uri(file, how), { timeout: 0, readOnly })
  let mayBeEmpty = isEmpty
  let wasEmpty = false
  const checkFile = tryTo(() => {
    const stats = statsOf(given)
    if (identity(stats) !== opened) throw new JournalUnavailable({ problem: "replaced" })
    const hasBytes = stats !== undefined && stats.size > 0n
    if (!hasBytes && !mayBeEmpty) throw new JournalUnavailable({ problem: "empty" })
    // The first bytes may be those of a killed first start, which SQLite takes away.
    if (hasBytes && wasEmpty) mayBeEmpty = false
    wasEmpty = !hasBytes
  })
  return { connection, checkFile, isOutdated: () => readOnly && isWritable(file) }
}

/** What another process can look like that writes at this moment, or begins the journal. */
const passing: ReadonlySet<JournalProblem> = new Set(["corrupt", "empty", "other-journal"] as const)

const untilItPasses = <A>(run: () => A): Effect.Effect<A, JournalError> =>
  Effect.retry(tryTo(run), {
    while: (error) => error._tag === "JournalUnavailable" && passing.has(error.problem),
    schedule: Schedule.upTo(Schedule.jittered(Schedule.spaced("10 millis")), {
      duration: "2 seconds"
    })
  })

export const openFile = (
  file: string | undefined,
  creation: Creation
): Effect.Effect<Opened, JournalError> => untilItPasses(() => open(file, creation))

/** Whether a file has a journal, which is not opened. Fails if it is something else, or of another version. */
export const isJournal = (file: string): Effect.Effect<boolean, JournalError> =>
  untilItPasses(
    () => statsOf(file) !== undefined && !lookAt(loadSqlite().DatabaseSync, file).isEmpty
  )
