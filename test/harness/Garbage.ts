/** Collects the garbage of this process, although it was started without `--expose-gc`. */
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
export const collect: () => void = runInNewContext("gc")

/** The megabytes that are alive: some of it goes only in a later turn of the event loop. */
export const heapMegabytes = async (): Promise<number> => {
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await setImmediate()
  }
  return process.memoryUsage().heapUsed / 1e6
}
