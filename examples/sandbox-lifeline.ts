/** Loaded into the sandbox's process first: it ends when the demo does, in whatever way that was. */
import process from "node:process"

process.stdin.once("end", () => process.kill(process.pid)).resume()
