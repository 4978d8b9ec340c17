import { DatabaseSync } from "node:sqlite"
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql: string, ...r: any) {
  try {
    return prepare.call(this, sql, ...r)
  } catch (e) {
    console.log(sql, String(e))
    throw e
  }
}
await import("./smoke.ts")
