/**
 * Bundles `startSandbox` for publication. The bundle contains all dependencies, so that a script installs only
 * this package.
 */
import { globSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type OutputChunk } from "rolldown"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")

/** The compiler's output that the bundle replaces. */
const replaced = "promise.js{,.map}"

/** `dist` is the compiler's output folder. Returns the bundled chunks. */
export const bundleStartSandbox = async (dist: string): Promise<ReadonlyArray<OutputChunk>> => {
  const folder = join(dist, "bundle")
  rmSync(folder, { recursive: true, force: true })
  const { output } = await build({
    input: { promise: at("../src/promise.ts") },
    cwd: root,
    platform: "node",
    transform: { target: "node22.19" },
    output: {
      dir: folder,
      format: "esm",
      // Names are not shortened, so that stack traces stay readable.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      // Licences are in their own file, and the documentation is in the declarations.
      comments: false,
      entryFileNames: "[name].js",
      codeSplitting: false
    }
  })
  for (const file of globSync(replaced, { cwd: dist })) rmSync(join(dist, file))
  return output.filter((file) => file.type === "chunk")
}
