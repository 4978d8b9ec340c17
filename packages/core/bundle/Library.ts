/** Bundles what scripts use, with all that it needs, so that a script does not install Effect. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, type BuildOptions } from "rolldown"
import { licenses } from "./Licenses.ts"

const root = join(import.meta.dirname, "../../../")

/** Makes bundles, and writes the licences of what is in them to `folder`. */
export const bundleLibrary = async (
  folder: string,
  ...bundles: ReadonlyArray<BuildOptions>
): Promise<void> => {
  const built = await Promise.all(
    bundles.map(({ output, ...options }) =>
      build({
        cwd: root,
        platform: "node",
        transform: { target: "node22.19" },
        ...options,
        output: {
          format: "esm",
          // Names are not shortened, so that stack traces stay readable.
          minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
          // Licences are in their own file, and the documentation is in the declarations.
          comments: false,
          ...output
        }
      })
    )
  )
  const chunks = built.flatMap((each) => each.output.filter((file) => file.type === "chunk"))
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenses(root, chunks))
}
