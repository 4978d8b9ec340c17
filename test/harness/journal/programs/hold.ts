/** Begins a transaction in a journal, and holds it until the process is killed: `hold.ts <file> [<statements>]`. */
import { DatabaseSync } from "node:sqlite"

const [, , file = "", statements = "begin immediate"] = process.argv
new DatabaseSync(file).exec(statements)
console.log("holds")
setInterval(() => {}, 60_000)
