/**
 * `node scripts/compile.ts packages/core`: builds projects of the workspace, with the compiler that has Effect's diagnostics.
 * Their warnings fail.
 *
 * It runs in the workspace's real folder, because packages find each other by their real paths. A shell keeps in PWD the
 * path through a symbolic link, where the compiler looks: it would then compile the sources of a package again with the
 * settings of the one that imports it.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { realpathSync } from "node:fs"
import process, { argv, env, execPath } from "node:process"

const cwd = realpathSync(".")
const finder = ["node_modules/@effect/tsgo/dist/effect-tsgo.cjs", "get-exe-path"]
const compiler = execFileSync(execPath, finder, { cwd, encoding: "utf8" }).trim()
const { status } = spawnSync(compiler, ["-b", ...argv.slice(2)], {
  cwd,
  env: { ...env, PWD: cwd },
  stdio: "inherit"
})
process.exitCode = status ?? 1
