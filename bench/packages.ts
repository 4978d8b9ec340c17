/**
 * Installs packages with npm, measures them, and knows their versions.
 */
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const comparison = join(import.meta.dirname, "comparison")

const npm = (args: ReadonlyArray<string>, cwd: string): void => {
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
  const { error, status, stderr } = spawnSync("npm", [...args, ...quiet], { cwd, encoding: "utf8" })
  if (status === 0) return
  throw new Error(`npm ${args.join(" ")} ended with ${status}: ${stderr}`, { cause: error })
}

/** When a file was last written. Returns 0 if there is no such file. */
const writtenAt = (path: string): number =>
  statSync(join(comparison, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Installs the packages of bench/comparison from their lockfile, unless they are installed. */
export const installComparison = (): void => {
  // npm writes node_modules/.package-lock.json last, when everything is installed.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return
  npm(["ci"], comparison)
}

const Manifest = Schema.fromJsonString(
  Schema.Struct({ dependencies: Schema.Record(Schema.String, Schema.String) })
)

/** The versions of the packages in bench/comparison, by name. */
export const comparedVersions = (): Readonly<Record<string, string>> =>
  Schema.decodeUnknownSync(Manifest)(readFileSync(join(comparison, "package.json"), "utf8"))
    .dependencies

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)

const Lock = Schema.fromJsonString(
  Schema.Struct({ packages: Schema.Record(Schema.String, Schema.Unknown) })
)

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
  const lock = readFileSync(join(modules, ".package-lock.json"), "utf8")
  return {
    bytes: bytesIn(modules),
    packages: Object.keys(Schema.decodeUnknownSync(Lock)(lock).packages).length
  }
}
