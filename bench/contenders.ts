/**
 * The clients that are compared, each in a process of its own.
 */
import { spawnSync } from "node:child_process"
import { statSync } from "node:fs"
import { join } from "node:path"
import { bounded, readManifest, stdoutOf } from "../scripts/support.ts"
import { start } from "./child.ts"
import { bare, ours } from "./clients.ts"
import { clients } from "./comparison/clients.js"

const comparison = join(import.meta.dirname, "comparison")

const { dependencies = {} } = readManifest(join(comparison, "package.json"))

/** A package of bench/comparison with its version. */
export const withVersion = (name: string): string => `${name} ${dependencies[name] ?? ""}`.trim()

export const others = Object.keys(clients)

export const all = [...Object.values(bare), ...Object.values(ours), ...others]

const changedAt = (file: string): number =>
  statSync(join(comparison, file), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Installs the packages of bench/comparison from their lockfile, if that changed since. */
export const installOthers = (): void => {
  if (changedAt("node_modules/.package-lock.json") > changedAt("package-lock.json")) return
  const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"]
  stdoutOf(spawnSync("npm", args, { ...bounded, cwd: comparison }))
}

export const startClient = async (name: string, url: string, timeoutMillis: number) => ({
  name,
  ...(await start(new URL("contender.ts", import.meta.url), name, url, timeoutMillis))
})

export type Contender = Awaited<ReturnType<typeof startClient>>
