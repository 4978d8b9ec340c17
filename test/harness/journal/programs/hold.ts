/** Holds the write lock of a journal until a line comes on stdin, or the process is killed. */
import { once } from "node:events"
import { DatabaseSync } from "node:sqlite"

const [, , file = ""] = process.argv
const database = new DatabaseSync(file)
database.exec("begin immediate")
console.log("holds")
await once(process.stdin, "data")
database.exec("commit")
database.close()
process.stdin.destroy()
