/** Opens a journal, and kills itself before one statement: `killUpgrade.ts <file> <statement>`. */
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rewriting } from "../Statements.ts"

const [, , file = "", fatal = ""] = process.argv

const killingBefore = (sql: string): string => {
  if (sql === fatal) process.kill(process.pid, "SIGKILL")
  return sql
}

await Effect.runPromise(Effect.scoped(rewriting(killingBefore, Layer.build(Sqlite.layer(file)))))
