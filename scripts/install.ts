/**
 * Installs packages with npm, as users do.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bounded, stdoutOf } from "./support.ts"

const npm = (args: ReadonlyArray<string>, cwd: string): void => {
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
  stdoutOf(spawnSync("npm", [...args, ...quiet], { ...bounded, cwd }))
}

/** Installs what the lockfile of this folder names, unless it is installed. */
export const installLocked = (folder: string): void => {
  const writtenAt = (path: string): number =>
    statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  // npm writes this file last, when everything is installed.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return
  npm(["ci"], folder)
}

export const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)

/** Makes a project in this folder, and installs its dependencies. */
export const install = (
  folder: string,
  dependencies: Readonly<Record<string, string>>,
  ...flags: ReadonlyArray<string>
) => {
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, type: "module", dependencies }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  npm(["install", ...flags], folder)
  const modules = join(folder, "node_modules")
  const lock = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, unknown>>
  }
  return { bytes: bytesIn(modules), packages: Object.keys(lock.packages).length }
}
