/**
 * `node scripts/compile.ts packages/core`: builds projects of the workspace, in its real folder. Packages find each other by
 * their real paths. A shell keeps in PWD the path through a symbolic link, where the compiler looks: it would then
 * compile the sources of a package again with the settings of the one that imports it.
 */
import { spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import process, { argv, env, execPath } from "node:process"

const cwd = realpathSync(".")
const compiler = ["node_modules/typescript/bin/tsc", "-b", ...argv.slice(2)]
const { status } = spawnSync(execPath, compiler, {
  cwd,
  env: { ...env, PWD: cwd },
  stdio: "inherit"
})
process.exitCode = status ?? 1
