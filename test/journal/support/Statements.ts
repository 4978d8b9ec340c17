/**
 * What a journal says to SQLite: all of it, or with a word changed on the way.
 *
 * The driver is Node's, and not ours: it is the place where a test can take a condition out of the rule
 * without a switch in the product.
 */
import * as Effect from "effect/Effect"
import { DatabaseSync } from "node:sqlite"

type Rewrite = (sql: string) => string

/** While `use` runs, every statement is rewritten before SQLite sees it. */
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

/** The statements of an effect. */
export const statements = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const ran = new Array<string>()
    const keep: Rewrite = (sql) => {
      ran.push(sql)
      return sql
    }
    return Effect.as(rewriting(keep, use), ran)
  })
