/**
 * The bundled MCP server and command, for tests that start them as processes. So they test the published code, which
 * starts in a third of the time of the source. The same for programs of the workspace that are started again and again.
 * Only tests of `test:full` start them.
 */
import { build as esbuild } from "esbuild"
import { spawnSync } from "node:child_process"
import { globSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Where `pnpm pack:all` builds it, too. */
const fileOf = (packageName: string): string => `${root}packages/${packageName}/dist/main.cjs`

export const serverFile = fileOf("mcp-server")

export const commandFile = fileOf("cli")

const programsFolder = `${root}node_modules/.cache/bundled/programs`

/** The bundle of a program, such as `examples/send.ts`. */
export const programFile = (program: string): string =>
  `${programsFolder}/${program.replace(/\.ts$/, ".mjs")}`

const bundlePrograms = () => {
  rmSync(programsFolder, { force: true, recursive: true })
  return esbuild({
    absWorkingDir: root,
    entryPoints: [
      "examples/*.ts",
      "examples/engines/*.ts",
      "test/harness/campaign/programs/*.ts",
      "test/harness/journal/programs/killAt.ts"
    ],
    outbase: root,
    outdir: programsFolder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    // Packages that are CommonJS call it.
    banner: {
      js: 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);'
    },
    logLevel: "error"
  })
}

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

/**
 * Bundles all, before the tests of the project "full": the server and the command unless their files are newer than all
 * sources.
 */
export const setup = async () => {
  build("mcp-server", serverFile)
  build("cli", commandFile)
  await bundlePrograms()
}
