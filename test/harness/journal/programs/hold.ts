/** Holds the write lock of a journal until the process is killed. */
import { DatabaseSync } from "node:sqlite"

const [, , file = ""] = process.argv
new DatabaseSync(file).exec("begin immediate")
console.log("holds")
setInterval(() => {}, 60_000)
