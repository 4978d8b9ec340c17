/** Loaded first into the sandbox's process, which it ends when the demo ends, even if the demo was killed. */
import process from "node:process"

process.stdin.once("end", () => process.kill(process.pid)).resume()
