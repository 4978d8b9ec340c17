/**
 * The file of a journal in SQLite: how it is opened and closed, so that no write of it can be lost.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { JournalLocked } from "../errors/JournalLocked.ts"
import { type JournalProblem, JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { JournalError } from "../errors/JournalError.ts"

/** For how long a statement waits for another process. */
const waitSeconds = 10

/** By SQLite's primary result code. Source: https://sqlite.org/rescode.html */
const problems: Readonly<Record<number, readonly [JournalProblem, string]>> = {
  8: ["read-only", "SQLITE_READONLY"],
  10: ["unreachable", "SQLITE_IOERR"],
  11: ["corrupt", "SQLITE_CORRUPT"],
  13: ["full", "SQLITE_FULL"],
  14: ["unreachable", "SQLITE_CANTOPEN"],
  26: ["corrupt", "SQLITE_NOTADB"]
}

const failure = (error: unknown): JournalError => {
  if (error instanceof JournalUnavailable) return error
  if (Predicate.hasProperty(error, "errcode") && Predicate.isNumber(error.errcode)) {
    const primary = error.errcode & 0xff
    // SQLITE_BUSY, SQLITE_LOCKED
    if (primary === 5 || primary === 6) return new JournalLocked({ waitedSeconds: waitSeconds })
    const [problem, code] = problems[primary] ?? ["other", `SQLite ${error.errcode}`]
    return new JournalUnavailable({ problem, code })
  }
  const code =
    Predicate.hasProperty(error, "code") && Predicate.isString(error.code) ? error.code : undefined
  const problem = code === "EACCES" || code === "EROFS" || code === "EPERM" ? "read-only" : "other"
  return code === undefined
    ? new JournalUnavailable({ problem })
    : new JournalUnavailable({ problem: code === "ENOENT" ? "unreachable" : problem, code })
}

export const tryTo = <A>(run: () => A): Effect.Effect<A, JournalError> =>
  Effect.try({ try: run, catch: failure })

const shortPause = Schedule.jittered(Schedule.spaced("10 millis"))

/**
 * Retries every few milliseconds while another process holds the lock, until `waitSeconds` after `since`.
 */
export const retryWhileLocked =
  (since: number) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.retry(effect, {
      while: (error) =>
        Predicate.isTagged(error, "JournalLocked")
          ? Effect.map(Clock.currentTimeMillis, (now) => now - since < waitSeconds * 1000)
          : Effect.succeed(false),
      schedule: shortPause
    })

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

/** Whether the file exists. A device or a folder is not a journal, and its rights must not change. */
const isFile = (file: string): boolean => {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() === false) throw new JournalUnavailable({ problem: "corrupt" })
  return stats !== undefined
}

/** Only the owner may read the file. SQLite gives new `-wal` and `-shm` files the same rights. */
const makePrivate = (file: string): void => {
  closeSync(openSync(file, "a", 0o600))
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) chmodSync(path, 0o600)
  }
}

/** Fails if the file is no database, or one of another program, whose rights and tables must not change. */
const refuseForeign = (connection: DatabaseSync): void => {
  const names = connection
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map(({ name }) => name)
  if (names.length > 0 && !names.includes("version")) {
    throw new JournalUnavailable({ problem: "corrupt" })
  }
}

/**
 * Whether the newest writes may be in the `-wal` file, as the header of the main file says. Source:
 * https://sqlite.org/fileformat2.html#the_database_header
 */
const needsWal = (file: string): boolean => {
  const header = Buffer.alloc(20)
  const descriptor = openSync(file, "r")
  try {
    readSync(descriptor, header, 0, header.length, 0)
  } finally {
    closeSync(descriptor)
  }
  return header[18] === 2
}

/**
 * SQLite's name for a database in memory, one for each connection. The usual `:memory:` looks at every page
 * that ever changed at each commit. Source: `sqlite3PcacheClearWritable` in SQLite's pcache.c
 */
export const inMemory = "file:journal?vfs=memdb"

const ends = { wal: "-wal", rollback: "-journal", opening: "-opening" } as const

/**
 * Whether the `-wal` file is missing: the main file was copied or moved without it.
 *
 * It is also missing if a process was killed while it entered or left WAL mode, and then nothing is lost:
 * SQLite's rollback journal or our mark is beside the file.
 */
const isIncomplete = (file: string): boolean =>
  needsWal(file) && !Object.values(ends).some((end) => existsSync(file + end))

/**
 * SQLite creates the `-wal` file some milliseconds after the header says that there is one, and removes it
 * before the header says so. A mark bridges both times.
 */
export const enterWal = (file: string, connection: DatabaseSync): void => {
  const mark = file + ends.opening
  if (file !== inMemory && !needsWal(file)) closeSync(openSync(mark, "w", 0o600))
  try {
    // The read creates the `-wal` file.
    connection.exec("pragma journal_mode = wal; select 1 from sqlite_master")
  } finally {
    rmSync(mark, { force: true })
  }
}

/** `"read"` needs no right to write, takes no write lock, and does not create the file. */
export type Access = "read" | "write"

interface Opened {
  readonly connection: DatabaseSync
  /**
   * Fails if the path of the file, or of its `-wal` file, now names another file, or none: the next process
   * would not see what this one writes.
   */
  readonly checkFile: Effect.Effect<void, JournalError>
  readonly close: Effect.Effect<void>
}

const identity = (file: string): string | undefined => {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}

/**
 * Moves all writes into the main file, which is then the whole journal. Only the last connection of all
 * processes can do that.
 */
const leaveWal = (file: string, connection: DatabaseSync): void => {
  const mark = file + ends.opening
  closeSync(openSync(mark, "w", 0o600))
  try {
    connection.exec("pragma journal_mode = delete")
  } finally {
    rmSync(mark, { force: true })
  }
}

const leaveWalAfterClose = (file: string): void => {
  const { DatabaseSync: Connection } = loadSqlite()
  const connection = new Connection(file, { timeout: 0 })
  try {
    leaveWal(file, connection)
  } finally {
    connection.close()
  }
}

const closeWriter = (
  file: string,
  { checkFile, connection }: Omit<Opened, "close">
): Effect.Effect<void> => {
  const leave = Effect.andThen(
    checkFile,
    tryTo(() => leaveWal(file, connection))
  )
  // Two processes that close at the same moment can each find the other one still connected.
  const leaveAgain = tryTo(() => {
    if (isIncomplete(file)) leaveWalAfterClose(file)
  })
  return Effect.ignore(leave).pipe(
    Effect.andThen(Effect.sync(() => connection.close())),
    Effect.andThen(
      Effect.ignore(Effect.retry(leaveAgain, Schedule.upTo(shortPause, { duration: "1 second" })))
    )
  )
}

/** If the last writer has closed in the meantime, or was killed, only this process can leave WAL mode. */
const closeReader = (file: string, connection: DatabaseSync): Effect.Effect<void> =>
  Effect.ignore(
    tryTo(() => {
      connection.close()
      if (needsWal(file)) leaveWalAfterClose(file)
    })
  )

const open = (file: string, access: Access): Opened => {
  const { DatabaseSync: Connection } = loadSqlite()
  if (file === inMemory) {
    const connection = new Connection(file)
    const close = Effect.sync(() => connection.close())
    return { connection, checkFile: Effect.void, close }
  }
  const exists = isFile(file)
  if (access === "write" && !exists) makePrivate(file)
  // An empty file gets its tables from the first process that writes.
  if (access === "read" && exists && statSync(file).size === 0)
    throw new JournalUnavailable({ problem: "corrupt" })
  if (exists && isIncomplete(file)) throw new JournalUnavailable({ problem: "incomplete" })
  const connection = new Connection(file, { timeout: 0, readOnly: access === "read" })
  try {
    refuseForeign(connection)
    if (access === "write") makePrivate(file)
  } catch (error) {
    connection.close()
    throw error
  }
  const opened = identity(file)
  let openedWal: string | undefined
  const checkFile = tryTo(() => {
    const wal = access === "write" ? identity(file + ends.wal) : undefined
    // There is none until the connection enters WAL mode, and from then on the same one.
    openedWal ??= wal
    if (identity(file) !== opened || wal !== openedWal) {
      throw new JournalUnavailable({ problem: "replaced" })
    }
  })
  return {
    connection,
    checkFile,
    close:
      access === "read"
        ? closeReader(file, connection)
        : closeWriter(file, { checkFile, connection })
  }
}

/** Another process that opens or closes the file at this moment can look like a lost `-wal` file. */
export const openFile = (file: string, access: Access): Effect.Effect<Opened, JournalError> =>
  Effect.retry(
    tryTo(() => open(file, access)),
    {
      while: (error) => error._tag === "JournalLocked" || error.problem === "incomplete",
      schedule: Schedule.upTo(shortPause, { duration: "1 second" })
    }
  )

/** The file gets its name last: an export that is killed leaves no file that looks whole. */
const copyInto = (connection: DatabaseSync, to: string): void => {
  if (existsSync(to)) throw new JournalUnavailable({ problem: "other", code: "EEXIST" })
  const partial = `${to}.partial`
  const descriptor = openSync(partial, "w", 0o600)
  try {
    connection.prepare("vacuum into ?").run(partial)
    fsyncSync(descriptor)
    renameSync(partial, to)
  } finally {
    closeSync(descriptor)
    rmSync(partial, { force: true })
  }
}

/** Writes the journal as it is now to a new file, which needs no other file beside it. */
export const exportTo = (file: string, to: string): Effect.Effect<void, JournalError> =>
  Effect.acquireUseRelease(
    openFile(file, "read"),
    ({ connection }) =>
      Effect.flatMap(Clock.currentTimeMillis, (since) =>
        retryWhileLocked(since)(tryTo(() => copyInto(connection, to)))
      ),
    ({ close }) => close
  )
