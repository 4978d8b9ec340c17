/**
 * The bundled MCP server for tests that start it. So they test the published code, which starts in
 * a third of the time of the source.
 */
import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const serverFile = `${root}node_modules/.cache/mcp-server/main.cjs`

/** The time of a file or folder. Returns 0 if it does not exist. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isNewerThanSources = (): boolean => {
  const builtAt = changedAt(serverFile)
  // Folders, too: their time changes when a file is removed.
  const sources = ["pnpm-lock.yaml", "packages/{core,journal,sandbox,mcp-server}/{src,bundle}/**"]
  return globSync(sources, { cwd: root }).every((path) => changedAt(root + path) < builtAt)
}

let isBuilt = false

/**
 * Bundles the server, unless the bundle is newer than all its sources. Tests run in several
 * processes: the first one that needs the bundle makes it, and the others wait.
 */
export const buildServer = (): void => {
  if (isBuilt) return
  mkdirSync(dirname(dirname(serverFile)), { recursive: true })
  // A lock that ends with its process. SQLite waits for it.
  const lock = new DatabaseSync(`${dirname(serverFile)}.lock`, { timeout: 60_000 })
  lock.exec("BEGIN EXCLUSIVE")
  if (!isNewerThanSources()) {
    const program = `import { bundle } from "@messaging-topup/mcp-server/bundle/Bundle.ts"
      await bundle(${JSON.stringify(dirname(serverFile))})`
    const args = ["--input-type=module", "--eval", program]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
    if (status !== 0) throw new Error(`The MCP server was not bundled: ${stderr}`)
  }
  lock.close()
  isBuilt = true
}

/** Builds it before all tests of test:full. */
export const setup = buildServer
