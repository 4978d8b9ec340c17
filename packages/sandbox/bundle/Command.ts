/**
 * The command and `startSandbox` as they are published: each with all that it needs inside, so that
 * neither a script nor a test in another language installs anything but this package.
 */
import { chmodSync, globSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type OutputChunk } from "rolldown"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")

/** What the compiler made of the same modules. */
const replaced = ["main.*", "internal/{Program,CommandLine,Greeting}.*", "promise/*.js{,.map}"]

/** `dist` is where the compiler wrote. Says what went into the files. */
export const bundleCommand = async (dist: string): Promise<ReadonlyArray<OutputChunk>> => {
  const folder = join(dist, "bundle")
  rmSync(folder, { recursive: true, force: true })
  const { output } = await build({
    input: { main: at("../src/main.ts"), promise: at("../src/promise/StartSandbox.ts") },
    cwd: root,
    platform: "node",
    transform: { target: "node22.19" },
    // The package says that its modules only export; this one runs the command.
    treeshake: { moduleSideEffects: [{ test: /\/internal\/Program\.ts$/, sideEffects: true }] },
    output: {
      dir: folder,
      format: "esm",
      // Names stay as they are, for stack traces.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      // The licences are in a file of their own, and the declarations have the documentation.
      comments: false,
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: { groups: [{ name: "sandbox", test: /\/internal\/Running\.ts$/ }] }
    }
  })
  chmodSync(join(folder, "main.js"), 0o755)
  for (const pattern of replaced) {
    for (const file of globSync(pattern, { cwd: dist })) rmSync(join(dist, file))
  }
  return output.filter((file) => file.type === "chunk")
}
