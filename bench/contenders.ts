/**
 * The clients that are compared, each in a process of its own.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { bounded, readManifest, stdoutOf } from "../scripts/support.ts"
import { start } from "./child.ts"
import { bare, ours } from "./clients.ts"

const comparison = join(import.meta.dirname, "comparison")

/** Those of bench/comparison, by their names there. */
export const others = ["axios", "stripe", "telnyx", "twilio"]

export const all = [...Object.values(bare), ...Object.values(ours), ...others]

/** The versions of the packages in bench/comparison, by name. */
export const comparedVersions = (): Readonly<Record<string, string>> =>
  readManifest(join(comparison, "package.json")).dependencies ?? {}

/** Installs the packages of bench/comparison from their lockfile. */
export const installOthers = (): void => {
  const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"]
  stdoutOf(spawnSync("npm", args, { ...bounded, cwd: comparison }))
}

export const startClient = async (name: string, url: string, timeoutMillis: number) => {
  const args = [name, url, String(timeoutMillis)]
  return { name, ...(await start(new URL("contender.ts", import.meta.url), args)) }
}

export type Contender = Awaited<ReturnType<typeof startClient>>
