/**
 * Runs the packed promise client on every runtime of docs/runtimes.ts. If a runtime cannot be installed here, the check
 * prints that it skips it. Run `pnpm pack:all` first.
 */
import { execFile } from "node:child_process"
import { copyFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { type Runtime, runtimes } from "../docs/runtimes.ts"
import { checkSends } from "./sends.ts"
import { bounded, bundled, installed, tarball, temporaryFolder } from "./support.ts"

const core = installed(tarball("@messaging-topup/core"))
copyFileSync(join(import.meta.dirname, "sends.js"), join(core, "main.js"))

/** Runs `main.js` beside core, on the runtime in a folder. */
type Run = (runtime: string, argument: string) => Promise<string>

const execute = promisify(execFile)

const program =
  (command: string, ...args: ReadonlyArray<string>): Run =>
  async (runtime, argument) => {
    const options = { cwd: core, timeout: bounded.timeout }
    return (await execute(join(runtime, command), [...args, "main.js", argument], options)).stdout
  }

const onWorkerd: Run = async (runtime, argument) => {
  const contents = `import { scenario } from "./main.js"
    export default { fetch: async () => Response.json(await scenario(${argument})) }`
  const conditions = ["workerd", "worker", "browser"]
  const script = await bundled(contents, core, { conditions })
  const path = pathToFileURL(join(runtime, "dist/src/index.js")).href
  const { Miniflare } = await import(path)
  const miniflare = new Miniflare({ modules: true, script, compatibilityDate: "2026-01-01" })
  const text = await (await miniflare.dispatchFetch("http://localhost/")).text()
  await miniflare.dispose()
  return text
}

/** The permissions that docs/runtimes.md names. */
const denoPermissions = [
  "--no-prompt",
  "--allow-net",
  "--allow-env=UNDICI_NO_WASM_SIMD,UNDICI_USE_MILO,JEST_WORKER_ID"
]

const runs = {
  node: program("bin/node"),
  bun: program("bin/bun.exe"),
  deno: program("bin.cjs", "run", ...denoPermissions, "--node-modules-dir=manual"),
  miniflare: onWorkerd
}

/** Returns the folder of a runtime, or `undefined` if it cannot be installed here. */
const runtimeFolder = async ([kind, version]: Runtime["npm"]): Promise<string | undefined> => {
  const cwd = temporaryFolder()
  const name = kind === "node" ? `node-linux-${process.arch}` : kind
  const dependencies = { runtime: `npm:${name}@${version}` }
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ dependencies }))
  // npm takes more than twice the CPU time for programs of this size.
  const args = ["install", "--config.dangerouslyAllowAllBuilds=true"]
  return await execute("pnpm", args, { ...bounded, cwd }).then(
    () => join(cwd, "node_modules/runtime"),
    () => undefined
  )
}

// pnpm waits for the network most of the time. The sends run one after the other.
const folders = Object.entries(runtimes).map(
  ([name, runtime]) => [name, runtime, runtimeFolder(runtime.npm)] as const
)
for (const [name, runtime, installing] of folders) {
  const folder = await installing
  if (folder === undefined) {
    console.log(`${name}: skipped, it cannot be installed here`)
    continue
  }
  await checkSends(name, runtime, (argument) => runs[runtime.npm[0]](folder, argument))
}
