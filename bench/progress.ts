/**
 * Prints the progress of a run on stderr.
 */
import { performance } from "node:perf_hooks"

export const progress = (what: string): void => {
  const seconds = Math.floor(performance.now() / 1000)
  const minutes = String(Math.floor(seconds / 60)).padStart(2, "0")
  console.error(`${minutes}:${String(seconds % 60).padStart(2, "0")}  ${what}`)
}
