/**
 * Compiles core to JavaScript, as it is published. Otherwise Node would have to strip types.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const root = new URL("../", import.meta.url)

const outDir = new URL("node_modules/.cache/bench/core/", root)

/** Returns the folder of the compiled modules. */
export const compileCore = async (): Promise<URL> => {
  const options = {
    project: "packages/core",
    outDir: fileURLToPath(outDir),
    tsBuildInfoFile: fileURLToPath(new URL("tsconfig.tsbuildinfo", outDir))
  }
  const child = spawn(
    fileURLToPath(new URL("node_modules/.bin/tsc", root)),
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    { cwd: fileURLToPath(root), stdio: "inherit" }
  )
  const [code]: Array<unknown> = await once(child, "exit")
  if (code !== 0) throw new Error(`tsc ended with ${String(code)}`)
  return outDir
}
