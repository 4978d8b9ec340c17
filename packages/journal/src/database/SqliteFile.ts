/**
 * The file of a journal in SQLite: how it is opened and closed, so that no write of it can be lost.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { chmodSync, closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { JournalLocked } from "../errors/JournalLocked.ts"
import { type JournalProblem, JournalUnavailable } from "../errors/JournalUnavailable.ts"
import type { JournalError } from "../errors/JournalError.ts"

/** For how long a statement waits for another process. */
export const waitSeconds = 10

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

export const shortPause = Schedule.jittered(Schedule.spaced("10 millis"))

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

/** Only the owner may read the file. SQLite gives the `-wal` and `-shm` files the same rights. */
const makePrivate = (file: string): void => {
  // A device or a folder is not a journal, and its rights must not change.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new JournalUnavailable({ problem: "corrupt" })
  }
  closeSync(openSync(file, "a", 0o600))
  chmodSync(file, 0o600)
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

/** Whether the `-wal` file is missing: the main file was copied or moved without it. */
const isIncomplete = (file: string): boolean => needsWal(file) && !existsSync(`${file}-wal`)

/** SQLite's name for a database in memory. */
export const inMemory = ":memory:"

interface Opened {
  readonly connection: DatabaseSync
  /**
   * Fails if the path now names another file, or none: the next process would not see what this one
   * writes.
   */
  readonly checkFile: Effect.Effect<void, JournalError>
}

const identity = (file: string): string | undefined => {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}

const open = (file: string): Opened => {
  const { DatabaseSync: Connection } = loadSqlite()
  if (file !== inMemory) {
    makePrivate(file)
    if (isIncomplete(file)) throw new JournalUnavailable({ problem: "incomplete" })
  }
  const connection = new Connection(file, { timeout: 0 })
  if (file === inMemory) return { connection, checkFile: Effect.void }
  const opened = identity(file)
  return {
    connection,
    checkFile: Effect.filterOrFail(
      tryTo(() => identity(file)),
      (named) => named === opened,
      () => new JournalUnavailable({ problem: "replaced" })
    )
  }
}

/** Another process that opens or closes the file at this moment can look like a lost `-wal` file. */
export const openFile = (file: string): Effect.Effect<Opened, JournalError> =>
  Effect.retry(
    tryTo(() => open(file)),
    {
      while: (error) => error._tag === "JournalUnavailable" && error.problem === "incomplete",
      schedule: Schedule.upTo(shortPause, { duration: "1 second" })
    }
  )

/**
 * Moves all writes into the main file, which is then the whole journal. Only the last connection of all
 * processes can do that.
 */
const leaveWal = "pragma journal_mode = delete"

/** Two processes that close at the same moment can each find the other one still connected. */
const leaveWalAfterClose = (file: string): Effect.Effect<void> => {
  if (file === inMemory) return Effect.void
  const leave = tryTo(() => {
    if (!isIncomplete(file)) return
    const { DatabaseSync: Connection } = loadSqlite()
    const connection = new Connection(file, { timeout: 0 })
    try {
      connection.exec(leaveWal)
    } finally {
      connection.close()
    }
  })
  return Effect.ignore(Effect.retry(leave, Schedule.upTo(shortPause, { duration: "1 second" })))
}

export const closeFile = (file: string, { checkFile, connection }: Opened): Effect.Effect<void> =>
  Effect.ignore(
    Effect.andThen(
      checkFile,
      tryTo(() => connection.exec(leaveWal))
    )
  ).pipe(
    Effect.andThen(Effect.sync(() => connection.close())),
    Effect.andThen(leaveWalAfterClose(file))
  )
