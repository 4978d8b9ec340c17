/** Bundles what scripts use, with all that it needs, so that a script does not install Effect. */
import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { build, type BuildOptions, type Plugin } from "rolldown"
import { licenses } from "./Licenses.ts"
import { isAt, requireModules } from "./ModulePaths.ts"

const root = join(import.meta.dirname, "../../../")

interface Library {
  /** Gets the licences of what is in the bundles. */
  readonly folder: string
  /**
   * Modules that are in none of the bundles, and what these import in their place. A folder that stands for a folder keeps
   * the names of its modules.
   */
  readonly outside?: Readonly<Record<string, string>>
}

/** Makes bundles. */
export const bundleLibrary = async (
  { folder, outside = {} }: Library,
  ...bundles: ReadonlyArray<BuildOptions>
): Promise<void> => {
  const leftOut = new Array<string>()
  const leaveOut: Plugin = {
    name: "outside",
    resolveId: async function (source, importer) {
      const module = (await this.resolve(source, importer, { skipSelf: true }))?.id ?? ""
      const [, id] = Object.entries(outside).find(([path]) => isAt(module, path)) ?? []
      if (id === undefined) return undefined
      leftOut.push(module)
      return { id: id.endsWith("/") ? `${id}${basename(module, ".ts")}.js` : id, external: true }
    }
  }
  const built = await Promise.all(
    bundles.map(({ output, ...options }) =>
      build({
        cwd: root,
        platform: "node",
        external: ["undici", /^node:/],
        plugins: [leaveOut],
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
  requireModules("Outside the bundle", Object.keys(outside), leftOut)
  const chunks = built.flatMap((each) => each.output.filter((file) => file.type === "chunk"))
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenses(root, chunks))
}
