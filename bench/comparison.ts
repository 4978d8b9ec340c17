/**
 * Installs what the benchmarks compare with and draw with, by its lockfile, unless it is there.
 */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = new URL("comparison/", import.meta.url)

/** When a file was last written; never, if it is not there. */
const writtenAt = (path: string): number =>
  statSync(new URL(path, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0

export const installComparison = (): void => {
  // npm writes the first when all of it is there.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: fileURLToPath(folder),
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (status !== 0) throw new Error(`npm ci in ${folder.pathname} ended with ${String(status)}`)
}
