/**
 * Records or rewrites the statements that a journal sends to SQLite.
 *
 * It patches Node's driver, so that a test can remove a condition from a statement without a switch in
 * the product.
 */
import * as Effect from "effect/Effect"
import { DatabaseSync } from "node:sqlite"

type Rewrite = (sql: string) => string

/** Rewrites every statement before SQLite runs it, while `use` runs. */
export const rewriting = <A, E, R>(rewrite: Rewrite, use: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const { exec, prepare } = DatabaseSync.prototype
      DatabaseSync.prototype.exec = function (sql) {
        return exec.call(this, rewrite(sql))
      }
      DatabaseSync.prototype.prepare = function (sql, ...rest) {
        return prepare.call(this, rewrite(sql), ...rest)
      }
      return { exec, prepare }
    }),
    () => use,
    (original) => Effect.sync(() => Object.assign(DatabaseSync.prototype, original))
  )

/** Returns the statements that an effect runs. */
export const statements = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const ran = new Array<string>()
    const keep: Rewrite = (sql) => {
      ran.push(sql)
      return sql
    }
    return Effect.as(rewriting(keep, use), ran)
  })

/** Leaves all statements as they are, and tells which one is repeated: it waits for a lock. */
export const noting = (isBlocked: (sql: string) => void): Rewrite => {
  const times = new Map<string, number>()
  return (sql) => {
    times.set(sql, (times.get(sql) ?? 0) + 1)
    if (times.get(sql) === 3) isBlocked(sql)
    return sql
  }
}
