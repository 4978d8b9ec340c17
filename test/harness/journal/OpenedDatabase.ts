/**
 * Access to the database that a journal opened, so that a model can read and restore its state.
 */
import { DatabaseSync } from "node:sqlite"

/** Returns the result of `use`, and the database that it opened. */
export const withDatabase = async <A>(
  use: () => Promise<A>
): Promise<readonly [A, DatabaseSync]> => {
  const { exec } = DatabaseSync.prototype
  let opened: DatabaseSync | undefined
  const noteAndExec: typeof exec = function (this: DatabaseSync, sql) {
    // oxlint-disable-next-line typescript/no-this-alias
    opened = this
    return exec.call(this, sql)
  }
  DatabaseSync.prototype.exec = noteAndExec
  try {
    const made = await use()
    if (opened === undefined) throw new Error("No database was opened")
    return [made, opened]
  } finally {
    DatabaseSync.prototype.exec = exec
  }
}
