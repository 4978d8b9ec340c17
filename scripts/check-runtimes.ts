/**
 * Runs the packed promise client on every runtime of docs/runtimes.ts. If npm cannot install a runtime here, the
 * check prints that it skips it. Run `pnpm pack:all` first.
 */
import { execFile } from "node:child_process"
import { copyFileSync, cpSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { type Runtime, runtimes } from "../docs/runtimes.ts"
import { checkSends } from "./sends.ts"
import { bounded, bundled, installed, tarball, temporaryFolder } from "./support.ts"

/** Runs `main.js` of a project, in which the runtime is installed. */
type Run = (project: string, argument: string) => Promise<string>

const execute = promisify(execFile)

const program =
  (command: string, ...args: ReadonlyArray<string>): Run =>
  async (project, argument) => {
    const path = join(project, "node_modules/runtime", command)
    const options = { cwd: project, timeout: bounded.timeout }
    return (await execute(path, [...args, "main.js", argument], options)).stdout
  }

const onWorkerd: Run = async (project, argument) => {
  const contents = `import { scenario } from "./main.js"
    export default { fetch: async () => Response.json(await scenario(${argument})) }`
  const conditions = ["workerd", "worker", "browser"]
  const script = await bundled(contents, project, { conditions })
  const path = pathToFileURL(join(project, "node_modules/runtime/dist/src/index.js")).href
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

const core = installed(tarball("@messaging-topup/core"))
copyFileSync(join(import.meta.dirname, "sends.js"), join(core, "main.js"))

/** Makes a project with a runtime. Returns `undefined` if npm cannot install it here. */
const projectWith = async ([kind, version]: Runtime["npm"]): Promise<string | undefined> => {
  const project = temporaryFolder()
  cpSync(core, project, { recursive: true })
  const binary = kind === "node" ? `node-linux-${process.arch}` : kind
  const specifier = `runtime@npm:${binary}@${version}`
  const args = ["install", "--no-audit", "--no-fund", "--no-save", specifier]
  return await execute("npm", args, { ...bounded, cwd: project }).then(
    () => project,
    () => undefined
  )
}

// npm waits for the network most of the time. The sends run one after the other.
const projects = Object.entries(runtimes).map(
  ([name, runtime]) => [name, runtime, projectWith(runtime.npm)] as const
)
for (const [name, runtime, made] of projects) {
  const project = await made
  if (project === undefined) {
    console.log(`${name}: skipped, npm cannot install it here`)
    continue
  }
  await checkSends(name, runtime, (argument) => runs[runtime.npm[0]](project, argument))
}
