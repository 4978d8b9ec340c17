/**
 * Installs what a script without Effect needs, which is only core. It must be small, start fast, and
 * compile.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { install } from "../bench/installed.ts"
import { bounded, packPackages, stdoutOf, temporaryFolder } from "./support.ts"

const maxInstalledBytes = 5_000_000
const maxImportMillis = 60
const rounds = 15

const project = temporaryFolder()
const inProject = { ...bounded, cwd: project }

const write = (name: string, content: unknown): void =>
  writeFileSync(join(project, name), JSON.stringify(content))

const core = packPackages(project).find(({ name }) => name === "@messaging-topup/core")
if (core === undefined) throw new Error("core was not packed")

const { bytes } = install(project, { [core.name]: `file:${core.filename}` })
if (existsSync(join(project, "node_modules/effect"))) throw new Error("Effect was installed")

const megabytes = (bytes / 1e6).toFixed(1)
console.log(`installed: ${megabytes} MB`)
if (!readFileSync(join(bounded.cwd, "README.md"), "utf8").includes(`installs ${megabytes} MB`)) {
  throw new Error(`README.md does not say that a script installs ${megabytes} MB`)
}
if (bytes > maxInstalledBytes) throw new Error(`More than ${maxInstalledBytes} bytes`)

const millisOf = (source: string): number => {
  const start = performance.now()
  stdoutOf(spawnSync(process.execPath, ["--input-type=module", "--eval", source], inProject))
  return performance.now() - start
}

const differences = Array.from(
  { length: rounds },
  () => millisOf('import "@messaging-topup/core/promise"') - millisOf("")
)
const millis = differences.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
console.log(`import: ${millis.toFixed(0)} ms more than node -e`)
if (!(millis <= maxImportMillis)) throw new Error(`More than ${maxImportMillis} ms`)

copyFileSync(join(bounded.cwd, "examples/script.ts"), join(project, "script.ts"))
write("tsconfig.json", {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2024",
    module: "nodenext",
    lib: ["es2024", "esnext.disposable", "dom"],
    types: ["node"],
    typeRoots: [join(bounded.cwd, "node_modules/@types")]
  }
})
stdoutOf(spawnSync("tsc", ["--project", project], bounded))
console.log("script.ts has no type error, without Effect")
