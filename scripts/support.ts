import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Options for running a program: in the workspace's root, with a time-out. */
export const bounded = {
  cwd: join(import.meta.dirname, ".."),
  encoding: "utf8",
  timeout: 300_000
} as const

/** Returns the output of a program that succeeded. Otherwise prints its output and throws. */
export const stdoutOf = (result: SpawnSyncReturns<string>): string => {
  if (result.status === 0) return result.stdout
  process.stderr.write(result.stdout + result.stderr)
  throw result.error ?? new Error(`It ended with ${result.signal ?? `exit code ${result.status}`}`)
}

/**
 * Makes a folder that is removed when this program ends. It is outside the workspace, so that no import in
 * it resolves to the workspace.
 */
export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "messaging-topup-"))
  process.once("exit", () => rmSync(path, { recursive: true, force: true }))
  return path
}

export interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export const readManifest = (file: string): Manifest =>
  JSON.parse(readFileSync(file, "utf8")) as Manifest

/** The version of a package in the workspace. */
export const versionHere = (name: string): string =>
  readManifest(createRequire(import.meta.url).resolve(`${name}/package.json`)).version

interface PackedPackage {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs all packages as `pnpm publish` does: with `publishConfig`, and with `workspace:` resolved. */
export const packPackages = (folder = temporaryFolder()): ReadonlyArray<PackedPackage> => {
  const pack = ["--filter", "./packages/*", "pack", "--json", "--pack-destination", folder]
  const packed = spawnSync("npx", ["-y", "pnpm@12", "--recursive", ...pack], bounded)
  return JSON.parse(stdoutOf(packed)) as ReadonlyArray<PackedPackage>
}

/** What a project's package.json says to install packed packages, by name. */
export const tarballs = (
  packages: ReadonlyArray<PackedPackage>
): Readonly<Record<string, string>> =>
  Object.fromEntries(packages.map(({ filename, name }) => [name, `file:${filename}`]))

/** Compiles the programs in a project as a strict user does, with its installed packages. */
export const compile = (project: string): void => {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2024",
    module: "nodenext",
    lib: ["es2024", "esnext.disposable", "dom", "dom.iterable"],
    types: ["node"],
    typeRoots: [join(bounded.cwd, "node_modules/@types")]
  }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }))
  stdoutOf(spawnSync("tsc", ["--project", project], bounded))
}
