import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
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

/** The version of a package in the workspace. */
export const versionHere = (name: string): string => {
  const manifest: unknown = createRequire(import.meta.url)(`${name}/package.json`)
  return (manifest as { readonly version: string }).version
}

interface PackedPackage {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** Packs all packages as `pnpm publish` does: with `publishConfig`, and with `workspace:` resolved. */
export const packPackages = (folder: string): ReadonlyArray<PackedPackage> => {
  const pack = ["--filter", "./packages/*", "pack", "--json", "--pack-destination", folder]
  const packed = spawnSync("npx", ["-y", "pnpm@12", "--recursive", ...pack], bounded)
  return JSON.parse(stdoutOf(packed)) as ReadonlyArray<PackedPackage>
}
