/**
 * Installs the clients that the benchmarks compare with, by their lockfile.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("comparison/", import.meta.url))

export const installComparison = (): void => {
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (status !== 0) throw new Error(`npm ci in ${folder} ended with ${String(status)}`)
}
