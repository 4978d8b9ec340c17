/**
 * The database that a journal opened: a test reads it and puts it back to where it was.
 */
import { DatabaseSync } from "node:sqlite"

/** What `use` makes, and the database that it opened. */
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
