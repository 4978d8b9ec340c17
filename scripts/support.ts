import { build, type BuildOptions } from "esbuild"
import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import {
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
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
  readManifest(join(bounded.cwd, "node_modules", name, "package.json")).version

/** The name of a package, as the manifest in its tarball says. */
const nameIn = (file: string): string => {
  const packed = spawnSync("tar", ["-xzOf", file, "package/package.json"], bounded)
  return (JSON.parse(stdoutOf(packed)) as { readonly name: string }).name
}

/** The files that `pnpm pack:all` made, by the name of the package. */
export const tarballs = (): Readonly<Record<string, string>> => {
  const paths = globSync(join(bounded.cwd, "tarballs/*.tgz"))
  const files = paths.map((file) => [nameIn(file), file] as const)
  if (files.length === 0) throw new Error("There are no tarballs: run pnpm pack:all")
  return Object.fromEntries(files)
}

/** The tarball of one package, as a dependency. */
export const tarball = (name: string): Readonly<Record<string, string>> => ({
  [name]: tarballs()[name] ?? ""
})

export const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)

/** Bundles a module for browsers, minified. */
export const bundled = async (
  contents: string,
  resolveDir: string,
  options: Pick<BuildOptions, "conditions" | "external"> = {}
): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2024",
    ...options
  })
  return outputFiles[0]?.text ?? ""
}

/** Makes a project outside the workspace, and installs these packages there: versions or files by name. */
export const installed = (
  dependencies: Readonly<Record<string, string>>,
  ...flags: ReadonlyArray<string>
): string => {
  const project = temporaryFolder()
  const manifest = { private: true, type: "module", dependencies }
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest))
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...flags]
  stdoutOf(spawnSync("npm", args, { ...bounded, cwd: project }))
  return project
}

/** Compiles the programs in a project as a strict user does, with its installed packages. */
export const compile = (project: string): void => {
  const compilerOptions = {
    composite: false,
    declarationMap: false,
    emitDeclarationOnly: false,
    noEmit: true,
    skipLibCheck: false,
    typeRoots: [join(bounded.cwd, "node_modules/@types")]
  }
  const config = { extends: join(bounded.cwd, "tsconfig.programs.json"), compilerOptions }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config))
  stdoutOf(spawnSync("tsc", ["--project", project], bounded))
}
