/** Opens a journal, and kills itself before one of its statements: `killAt.ts <file> <number of the statement>`. */
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rewriting } from "../Statements.ts"

const [, , file = "", fatal = ""] = process.argv

let at = 0

const killing = (sql: string): string => {
  if (at++ === Number(fatal)) process.kill(process.pid, "SIGKILL")
  return sql
}

await Effect.runPromise(Effect.scoped(rewriting(killing, Layer.build(Sqlite.layer(file)))))
