/**
 * Measures the memory of a process.
 */
import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** In bytes, as Linux reports it: `VmRSS` is the resident memory now, `VmHWM` the peak. */
export const memoryOf = (field: "VmRSS" | "VmHWM", pid: number | "self" = "self"): number => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const [, kibibytes] = new RegExp(`${field}:\\s+(\\d+)`).exec(status) ?? []
  return Number(kibibytes) * 1024
}

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect()
}

/** The heap that a value occupies in this process, in bytes. */
export const heapHeldBy = (make: () => unknown): number => {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const value = make()
  collectGarbage()
  const after = process.memoryUsage().heapUsed
  // Uses the value, so that it is not collected before.
  return value === undefined ? 0 : after - before
}
