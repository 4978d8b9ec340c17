/**
 * The bundled MCP server for tests that start it. So they test the published code, which starts in
 * a third of the time of the source.
 */
import { spawnSync } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const serverFile = `${root}node_modules/.cache/mcp-server/main.cjs`

/** The time of a file or folder. Returns 0 if it does not exist. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isNewerThanSources = (): boolean => {
  const builtAt = changedAt(serverFile)
  // Folders, too: their time changes when a file is removed.
  const sources = [
    "pnpm-lock.yaml",
    "packages/{command,core,journal,sandbox,mcp-server}/{src,bundle}/**"
  ]
  return globSync(sources, { cwd: root }).every((path) => changedAt(root + path) < builtAt)
}

/** Bundles the server, unless the bundle is newer than all its sources. */
export const buildServer = (): void => {
  if (isNewerThanSources()) return
  const program = `import { bundle } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
    await bundle(${JSON.stringify(dirname(serverFile))})`
  const args = ["--input-type=module", "--eval", program]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (status !== 0) throw new Error(`The MCP server was not bundled: ${stderr}`)
}

/** Builds it before the tests of the project "full": they run in several processes. */
export const setup = buildServer
