/**
 * Installs packages into an empty project with npm, and measures them.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"

/** Runs a program, and returns its output. */
export const run = (command: string, args: ReadonlyArray<string>, cwd: string): string => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (status === 0) return stdout
  throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`, {
    cause: error
  })
}

export const bytesIn = (folder: string): number =>
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
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...flags], folder)
  const modules = join(folder, "node_modules")
  const lock = readFileSync(join(modules, ".package-lock.json"), "utf8")
  return {
    bytes: bytesIn(modules),
    packages: Object.keys(Schema.decodeUnknownSync(Lock)(lock).packages).length
  }
}
