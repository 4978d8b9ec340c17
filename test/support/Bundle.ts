/**
 * Source text as a browser gets it: one module without imports, as esbuild bundles it.
 */
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { builtinModules } from "node:module"
import { fileURLToPath } from "node:url"

export interface Bundle {
  readonly code: string
  /** What the module still imports: modules that only Node has. */
  readonly imports: ReadonlyArray<string>
}

const root = fileURLToPath(new URL("../..", import.meta.url))

const nodeModules = ["node:*", ...builtinModules, ...builtinModules.map((name) => `${name}/*`)]

export interface BundleOptions {
  /** What stands for a name that the source uses and declares nowhere. */
  readonly define?: Readonly<Record<string, string>>
  /** Leaves packages outside, and everything else inside, whether it is used or not. */
  readonly ownCodeOnly?: boolean
}

/** The source may import what a test may. */
export const bundle = (
  source: string,
  { define = {}, ownCodeOnly = false }: BundleOptions = {}
): Effect.Effect<Bundle> =>
  Effect.promise(async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: source, resolveDir: root, loader: "ts" },
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "browser",
      target: "es2024",
      external: nodeModules,
      packages: ownCodeOnly ? "external" : "bundle",
      treeShaking: !ownCodeOnly,
      ignoreAnnotations: ownCodeOnly,
      define,
      logLevel: "silent"
    })
    return {
      code: outputFiles.map(({ text }) => text).join(""),
      imports: Object.values(metafile.outputs)
        .flatMap(({ imports }) => imports)
        .filter(({ external }) => external === true)
        .map(({ path }) => path)
    }
  })
