/**
 * A journal in SQLite, through `node:sqlite`.
 *
 * A statement blocks the event loop until it is on the disk. Waiting for another process does not block
 * it: the connection fails at once, and the fiber sleeps before it retries.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { resolve } from "node:path"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { type JournalError, JournalLocked, JournalUnavailable } from "../model/Errors.ts"
import { inMemory } from "../model/JournalName.ts"
import type { Database, Dialect, Params, Query, Result, WriteStatements } from "./Database.ts"
import { applicationId, type Creation, openFile, tryTo, waitSeconds } from "./SqliteFile.ts"

const dialect: Dialect = {
  table: (name) => name,
  // The mark of a journal, too: one that has lost all tables is not a new one.
  parts: `select name from sqlite_master
    union all select 'mark' from pragma_application_id where application_id = ${applicationId}`,
  // All processes of a file run on one machine, so its clock is the database's.
  now: "$now",
  uptime: "$uptime",
  elements: (param) => `json_each(${param})`,
  jsonTable: (param, ...columns) => {
    const fields = columns
      .map((column) => column.slice(0, column.indexOf(" ")))
      .map((name) => `value ->> '${name}' as ${name}`)
    return `(select ${fields.join(", ")} from json_each(${param})) as fields`
  },
  key: "text",
  integer: "integer",
  forUpdate: "",
  identity: "integer primary key autoincrement"
}

/** The monotonic clock of Node is that of the machine; Bun and Deno begin at 0 in each process. */
const hasUptime = process.versions["bun"] === undefined && process.versions["deno"] === undefined

/** Retries every few milliseconds while another process holds the lock, until `waitSeconds` after `since`. */
const retryWhileLocked =
  (since: number) =>
  <A>(effect: Effect.Effect<A, JournalError>): Effect.Effect<A, JournalError> =>
    Effect.retry(effect, {
      while: (error) =>
        Predicate.isTagged(error, "JournalLocked")
          ? Effect.map(Clock.currentTimeMillis, (now) => now - since < waitSeconds * 1000)
          : Effect.succeed(false),
      schedule: Schedule.jittered(Schedule.spaced("3 millis"))
    })

type Retry = ReturnType<typeof retryWhileLocked>

/** A body that waits for its transaction. */
interface Job {
  /** Runs the body, whose result counts once it is committed, and returns whether there is something to commit. */
  readonly run: Effect.Effect<boolean, JournalError>
  readonly end: (committed: Exit.Exit<void, JournalError>) => void
}

const errorOf = (exit: Exit.Exit<unknown, unknown>): JournalError => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof JournalUnavailable || error instanceof JournalLocked
    ? error
    : new JournalUnavailable({ problem: "other" })
}

const writeIn = Effect.fnUntraced(function* (
  query: Query,
  { before, claim, release, settle }: WriteStatements,
  params: Params
) {
  const run = (part: typeof claim) =>
    part === undefined ? Effect.succeed<Result>([]) : query(part("1 = 1"), params)
  const facts = yield* query(before, params)
  yield* run(settle)
  yield* run(release)
  const claimed = yield* run(claim)
  return claimed.length === 0 ? facts : claimed.map((row) => ({ ...facts[0], ...row }))
})

/** For how long what was read of the file may be read from the cache. */
const freshMillis = 1000

/** The file alone is then the journal. While another process writes, the -journal file stays. */
const close = (connection: DatabaseSync): void => {
  try {
    connection.exec("pragma journal_mode = delete")
  } catch {}
  connection.close()
}

/** Without a file, it is in memory. */
export const connect = Effect.fnUntraced(function* (
  file: string | undefined,
  creation: Creation
): Effect.fn.Return<Database, JournalError, Scope.Scope> {
  const held = yield* Effect.acquireRelease(
    Effect.map(openFile(file, creation), (opened) => ({ opened })),
    ({ opened }) => Effect.sync(() => close(opened.connection))
  )
  const checkFile = Effect.suspend(() => held.opened.checkFile)
  const oneAtATime = yield* Semaphore.make(1)
  const prepared = new Map<string, StatementSync>()

  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const made = held.opened.connection.prepare(sql)
    made.setAllowUnknownNamedParameters(true)
    prepared.set(sql, made)
    return made
  }

  const query: Query = (sql, params = {}) =>
    Effect.flatMap(Clock.Clock, (clock) =>
      tryTo((): Result => {
        const uptime = Math.round(Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000)
        const times = {
          now: clock.currentTimeMillisUnsafe(),
          uptime: hasUptime ? uptime : null
        }
        return statement(sql).all({ ...params, ...times })
      })
    )

  const command = (sql: string) => tryTo(() => held.opened.connection.exec(sql))

  let isFreshUntil = -Infinity

  /**
   * What another program writes over the file is not seen in the cache: SQLite drops that if the counter in the first page
   * has changed, and a commit of this process writes its own there. To read all of a write from the file again takes a
   * fifth more time, so the cache is dropped once a second.
   */
  const dropCache = Effect.flatMap(Clock.Clock, (clock) => {
    const now = Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000
    if (now < isFreshUntil) return Effect.void
    isFreshUntil = now + freshMillis
    return command("pragma shrink_memory")
  })

  // The end of a write is a zero in the -journal file, which is on the disk, too. To delete the file each
  // time takes longer. Pages that leave the cache before the commit would begin a second part of that file, and
  // the first one would not say to which state it belongs.
  const setUp = command(
    "pragma journal_mode = persist; pragma synchronous = full; pragma cache_spill = off"
  )

  /** Opens the file anew once it can be written. */
  const renew = (retry: Retry) =>
    Effect.suspend(() => {
      if (!held.opened.isOutdated()) return Effect.void
      const opening = Effect.map(openFile(file, "none"), (opened) => {
        held.opened.connection.close()
        prepared.clear()
        held.opened = opened
      })
      return Effect.andThen(Effect.uninterruptible(opening), retry(setUp))
    })

  /** No other fiber may use the connection in between. The wait counts towards `waitSeconds`. */
  const exclusively = <A, E>(
    use: (retry: Retry) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | JournalError> =>
    Effect.flatMap(Clock.currentTimeMillis, (since) =>
      oneAtATime.withPermits(1)(
        // A statement that fails because its file is gone does not say so.
        Effect.suspend(() => {
          const retry = retryWhileLocked(since)
          return checkFile.pipe(
            Effect.andThen(renew(retry)),
            Effect.andThen(dropCache),
            Effect.andThen(use(retry)),
            Effect.tapError(() => checkFile)
          )
        })
      )
    )

  const rollback = Effect.suspend(() =>
    held.opened.connection.isTransaction ? Effect.ignore(command("rollback")) : Effect.void
  )

  const waiting: Array<Job> = []

  /** A commit waits for the disk, and all that wait for one share the next. */
  const commitWaiting = (retry: Retry) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const jobs = waiting.splice(0)
        const ran = Effect.forEach(jobs, ({ run }) => run)
        // A process that reads holds the commit up, and lets it pass then. A commit of nothing would write the first
        // page of an empty file, which is then no journal, for ever.
        const committed = yield* Effect.exit(
          Effect.flatMap(ran, (changes) =>
            changes.includes(true) ? retry(command("commit")) : rollback
          )
        )
        for (const { end } of jobs) end(committed)
      })
    )

  const transaction: Database["transaction"] = <A, E>(
    body: (query: Query) => Effect.Effect<A, E>
  ) =>
    Effect.suspend(() => {
      let result: Exit.Exit<A, E | JournalError> | undefined
      let isDone = false
      const job: Job = {
        run: Effect.gen(function* () {
          yield* command("savepoint job")
          result = yield* Effect.exit(body(query))
          // A full disk ends the transaction of all.
          if (!held.opened.connection.isTransaction) return yield* Effect.fail(errorOf(result))
          const undo = Exit.isFailure(result) ? "rollback to job;" : ""
          yield* command(`${undo} release job`)
          return Exit.isSuccess(result)
        }),
        end: (committed) => {
          isDone = true
          if (Exit.isFailure(committed)) result = Exit.failCause(committed.cause)
        }
      }
      waiting.push(job)
      const run = exclusively((retry) =>
        isDone
          ? Effect.void
          : Effect.andThen(retry(command("begin immediate")), commitWaiting(retry)).pipe(
              Effect.ensuring(rollback)
            )
      )
      // Lets the others of this turn of the event loop join.
      return Effect.andThen(Effect.yieldNow, run).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            const index = waiting.indexOf(job)
            if (index !== -1) waiting.splice(index, 1)
          })
        ),
        Effect.andThen(Effect.suspend(() => result ?? Effect.die(new Error("Nothing ran"))))
      )
    })

  const read: Query = (sql, params) => exclusively((retry) => retry(query(sql, params)))

  yield* exclusively((retry) => retry(setUp))

  return {
    dialect,
    name: file === undefined ? inMemory : resolve(file),
    checkServer: Effect.void,
    checkWhole: Effect.flatMap(read("pragma quick_check(1)"), ([found]) =>
      found?.["quick_check"] === "ok"
        ? Effect.void
        : Effect.fail(new JournalUnavailable({ problem: "corrupt" }))
    ),
    prepare: (inTransaction) =>
      Effect.asVoid(inTransaction(`pragma application_id = ${applicationId}`)),
    read,
    search: read,
    reread: Effect.sync(() => {
      isFreshUntil = -Infinity
    }),
    transaction,
    lock: () => Effect.void,
    write: (statements, _claims, params) =>
      transaction((inTransaction) => writeIn(inTransaction, statements, params))
  }
})
