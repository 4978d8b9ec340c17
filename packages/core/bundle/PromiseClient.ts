/**
 * Bundles the promise client for publication: one file for Node, and one for runtimes that have
 * only `fetch`. Each file contains the Effect code it needs, so that a script does not install
 * Effect. The error classes stay outside: both clients of the package have the same.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { licenses } from "./Licenses.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")

/** How a promise client is written. */
export const readable = {
  format: "esm",
  // Names are not shortened, so that stack traces stay readable.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
  // Licences are in their own file, and the documentation is in the declarations.
  comments: false
} as const

/** The error classes, which both clients share, and the check that comes before all imports. */
const outside = /^.*\/((?:errors\/\w+)|NodeVersion)\.ts$/

const bundleFile = async (entry: string, platform: "node" | "browser", folder: string) => {
  const { output } = await build({
    input: at(`../src/promise/${entry}.ts`),
    cwd: root,
    platform,
    external: ["undici", /^node:/, outside],
    transform: { target: "node22.19" },
    output: {
      ...readable,
      file: join(folder, `${entry}.js`),
      paths: (id) => id.replace(outside, "../$1.js"),
      codeSplitting: false
    }
  })
  return output.filter((file) => file.type === "chunk")
}

/** Replaces the compiler's output for these modules. */
export const bundlePromiseClient = async (folder: string): Promise<void> => {
  const chunks = [
    ...(await bundleFile("Node", "node", folder)),
    ...(await bundleFile("Fetch", "browser", folder))
  ]
  for (const name of [
    "Node.js.map",
    "Fetch.js.map",
    "Client.js",
    "Client.js.map",
    "Calls.js",
    "Calls.js.map"
  ]) {
    rmSync(join(folder, name), { force: true })
  }
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenses(root, chunks))
}
