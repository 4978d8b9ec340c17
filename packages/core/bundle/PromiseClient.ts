/**
 * The promise client as it is published: one file for Node and one for runtimes with `fetch` alone, each
 * with what it needs of Effect inside. A script installs no Effect.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { licenses } from "./Licenses.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")

const bundleFile = async (entry: string, platform: "node" | "browser", folder: string) => {
  const { output } = await build({
    input: at(`../src/promise/${entry}.ts`),
    cwd: root,
    platform,
    external: ["undici", /^node:/],
    transform: { target: "node22.19" },
    output: {
      file: join(folder, `${entry}.js`),
      format: "esm",
      // Names stay as they are, for stack traces.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
      // The licences are in a file of their own, and the declarations have the documentation.
      comments: false,
      codeSplitting: false
    }
  })
  return output.filter((file) => file.type === "chunk")
}

/** In place of what the compiler made of the same modules. */
export const bundlePromiseClient = async (folder: string): Promise<void> => {
  const chunks = [
    ...(await bundleFile("Node", "node", folder)),
    ...(await bundleFile("Fetch", "browser", folder))
  ]
  for (const name of ["Node.js.map", "Fetch.js.map", "Client.js", "Client.js.map"]) {
    rmSync(join(folder, name), { force: true })
  }
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenses(root, chunks))
}
