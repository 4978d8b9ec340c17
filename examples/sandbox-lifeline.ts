/**
 * Loaded first in the sandbox's process. Ends that process when the demo ends, even if the demo is
 * killed.
 */
import process from "node:process"

process.stdin.once("end", () => process.kill(process.pid)).resume()
