/**
 * Transactions of one connection, several in one commit: a commit waits for the disk, and many callers can
 * wait for the same one. In memory, statements that run one after the other take less CPU time.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database, Query } from "./Database.ts"

/** Runs one effect at a time: what `use` returns when its turn comes. What it attempts may run again. */
export type Exclusively = <A, E>(
  use: (
    attempt: <B, F>(effect: Effect.Effect<B, F>) => Effect.Effect<B, F | JournalError>
  ) => Effect.Effect<A, E>
) => Effect.Effect<A, E>

interface Connection {
  readonly query: Query
  readonly command: (sql: string) => Effect.Effect<void, JournalError>
  readonly isInTransaction: () => boolean
  readonly exclusively: Exclusively
}

/** A body that waits for its transaction. */
interface Job {
  /** Runs the body, and returns whether it succeeded. Its result counts once it is committed. */
  readonly run: Effect.Effect<boolean>
  readonly fail: (error: JournalError) => void
  isDone: boolean
  /** Set after it was together with a body that failed. */
  isAlone: boolean
}

export const makeTransaction = ({
  command,
  exclusively,
  isInTransaction,
  query
}: Connection): Database["transaction"] => {
  const waiting: Array<Job> = []
  const take = (): ReadonlyArray<Job> => {
    if (waiting[0]?.isAlone === true) return waiting.splice(0, 1)
    const alone = waiting.findIndex(({ isAlone }) => isAlone)
    return waiting.splice(0, alone === -1 ? waiting.length : alone)
  }

  const commit = (jobs: ReadonlyArray<Job>): Effect.Effect<void, JournalError> =>
    Effect.matchEffect(command("commit"), {
      onSuccess: () =>
        Effect.sync(() => {
          for (const job of jobs) job.isDone = true
        }),
      onFailure: (error) => {
        if (Predicate.isTagged(error, "JournalLocked")) {
          waiting.unshift(...jobs)
          return Effect.fail(error)
        }
        for (const job of jobs) job.fail(error)
        return Effect.void
      }
    })

  const runAll = Effect.gen(function* () {
    const jobs = take()
    for (const job of jobs) {
      if (yield* job.run) continue
      // What the others wrote must be rolled back with it, and they run again.
      job.isDone = jobs.length === 1
      for (const each of jobs) each.isAlone = true
      if (!job.isDone) waiting.unshift(...jobs)
      return
    }
    yield* commit(jobs)
  })

  const runWaiting = Effect.acquireUseRelease(
    command("begin immediate"),
    () => Effect.uninterruptible(runAll),
    () => (isInTransaction() ? Effect.ignore(command("rollback")) : Effect.void)
  )

  return <A, E>(body: (query: Query) => Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      let exit: Exit.Exit<A, E | JournalError> | undefined
      const job: Job = {
        run: Effect.map(Effect.exit(body(query)), (ended) => {
          exit = ended
          return Exit.isSuccess(ended)
        }),
        fail: (error) => {
          exit = Exit.fail(error)
          job.isDone = true
        },
        isDone: false,
        isAlone: false
      }
      waiting.push(job)
      const runUntilDone = exclusively((attempt) =>
        job.isDone ? Effect.void : attempt(Effect.repeat(runWaiting, { until: () => job.isDone }))
      )
      // Lets the others of this turn of the event loop join.
      return Effect.andThen(Effect.yieldNow, runUntilDone).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            const index = waiting.indexOf(job)
            if (index !== -1) waiting.splice(index, 1)
          })
        ),
        Effect.andThen(Effect.suspend(() => exit ?? Effect.die(new Error("Nothing ran"))))
      )
    })
}
