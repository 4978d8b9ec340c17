/** Bundles `startSandbox` over the compiler's output, so that a script installs only this package. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundleLibrary } from "../../core/bundle/Library.ts"

const dist = join(import.meta.dirname, "../dist")
const dir = join(dist, "bundle")

rmSync(dir, { recursive: true, force: true })
await bundleLibrary(
  { folder: dist },
  {
    input: { promise: join(import.meta.dirname, "../src/promise.ts") },
    output: {
      dir,
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      entryFileNames: "[name].js",
      codeSplitting: false
    }
  }
)
for (const end of ["js", "js.map"]) rmSync(join(dist, `promise.${end}`), { force: true })
