/**
 * Bundles the promise client over the compiler's output: one file for Node, and one for runtimes that have only `fetch`.
 * The error classes stay outside: both clients of the package have the same.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundleLibrary } from "./Library.ts"

const folder = join(import.meta.dirname, "../dist/promise")

/** The error classes, which both clients share, and the check that comes before all imports. */
const outside = {
  "core/src/errors/": "../errors/",
  "core/src/NodeVersion.ts": "../NodeVersion.js"
}

const bundleOf = (entry: string, platform: "browser" | "node") => ({
  input: join(import.meta.dirname, `../src/promise/${entry}.ts`),
  platform,
  output: {
    file: join(folder, `${entry}.js`),
    codeSplitting: false
  }
})

await bundleLibrary({ folder, outside }, bundleOf("Node", "node"), bundleOf("Fetch", "browser"))

for (const name of ["Node.js.map", "Fetch.js.map"]) rmSync(join(folder, name), { force: true })
for (const name of ["Client", "Calls"]) {
  for (const end of ["js", "js.map"]) rmSync(join(folder, `${name}.${end}`), { force: true })
}
