/**
 * The clients that are compared, each in a process of its own.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { bounded, readManifest, stdoutOf } from "../scripts/support.ts"
import { start } from "./child.ts"
import { bare, ours } from "./clients.ts"

const comparison = join(import.meta.dirname, "comparison")

/** The packages of bench/comparison, and their versions. */
export const comparedVersions = readManifest(join(comparison, "package.json")).dependencies ?? {}

export const others = Object.keys(comparedVersions)

export const all = [...Object.values(bare), ...Object.values(ours), ...others]

/** Installs the packages of bench/comparison from their lockfile. */
export const installOthers = (): void => {
  const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"]
  stdoutOf(spawnSync("npm", args, { ...bounded, cwd: comparison }))
}

export const startClient = async (name: string, url: string, timeoutMillis: number) => ({
  name,
  ...(await start(new URL("contender.ts", import.meta.url), name, url, timeoutMillis))
})

export type Contender = Awaited<ReturnType<typeof startClient>>
