/**
 * The bundled MCP server and command, for tests that start them as processes. So they test the published code, which
 * starts in a third of the time of the source. Only tests of `test:full` start them.
 */
import { spawnSync } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

const fileOf = (packageName: string): string =>
  `${root}node_modules/.cache/bundled/${packageName}/main.cjs`

export const serverFile = fileOf("mcp-server")

export const commandFile = fileOf("cli")

/** The time of a file or folder. Returns 0 if it does not exist. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isNewerThanSources = (file: string): boolean => {
  const builtAt = changedAt(file)
  // Folders, too: their time changes when a file is removed.
  const sources = [
    "pnpm-lock.yaml",
    "packages/{cli,command,core,journal,sandbox,mcp-server}/{src,bundle}/**"
  ]
  return globSync(sources, { cwd: root }).every((path) => changedAt(root + path) < builtAt)
}

const build = (packageName: string, file: string): void => {
  if (isNewerThanSources(file)) return
  const bundle = JSON.stringify(`${root}packages/${packageName}/bundle/Bundle.ts`)
  const program = `import { bundle } from ${bundle}\nawait bundle(${JSON.stringify(dirname(file))})`
  const args = ["--input-type=module", "--eval", program]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(`packages/${packageName} was not bundled: ${stderr}`)
}

/** Bundles both, before the tests of the project "full", unless their files are newer than all sources. */
export const setup = (): void => {
  build("mcp-server", serverFile)
  build("cli", commandFile)
}
