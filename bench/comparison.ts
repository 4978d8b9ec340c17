/**
 * Installs the packages of bench/comparison from their lockfile, unless they are installed.
 */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = new URL("comparison/", import.meta.url)

/** When a file was last written. Returns 0 if there is no such file. */
const writtenAt = (path: string): number =>
  statSync(new URL(path, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0

export const installComparison = (): void => {
  // npm writes node_modules/.package-lock.json last, when everything is installed.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: fileURLToPath(folder),
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (status !== 0) throw new Error(`npm ci in ${folder.pathname} ended with ${String(status)}`)
}
