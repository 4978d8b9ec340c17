/**
 * A disk of one MiB, if this machine allows mounting one.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../TemporaryFolder.ts"

const isFull = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOSPC"

/** Writes until nothing more fits. */
const writeAll = (file: string): void => {
  for (const size of [65_536, 4096]) {
    try {
      while (true) writeFileSync(file, Buffer.alloc(size), { flag: "a" })
    } catch (error) {
      if (!isFull(error)) throw error
    }
  }
}

/** The disk; undefined if mounting is not allowed. */
export const smallDisk = Effect.gen(function* () {
  const path = yield* folder
  const mounted = yield* Effect.acquireRelease(
    Effect.sync(() => spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", path])),
    // Lazily: a server of the test may still close its files.
    ({ status }) => Effect.sync(() => status === 0 && spawnSync("umount", ["--lazy", path]))
  )
  if (mounted.status !== 0) return undefined
  const ballast = join(path, "ballast")
  const remount = (how: "ro" | "rw") => spawnSync("mount", ["-o", `remount,${how}`, path])
  return {
    path,
    fill: () => writeAll(ballast),
    free: () => rmSync(ballast),
    freeze: () => remount("ro"),
    thaw: () => remount("rw")
  }
})

export type SmallDisk = NonNullable<Effect.Success<typeof smallDisk>>
