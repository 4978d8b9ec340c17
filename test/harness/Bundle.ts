/**
 * Bundles source text for a browser with esbuild: one module without imports.
 */
import * as Effect from "effect/Effect"
import { build } from "esbuild"
import { builtinModules } from "node:module"
import { fileURLToPath } from "node:url"

export interface Bundle {
  readonly code: string
  /** The remaining imports: modules that only Node has. */
  readonly imports: ReadonlyArray<string>
}

const root = fileURLToPath(new URL("../..", import.meta.url))

const nodeModules = ["node:*", ...builtinModules, ...builtinModules.map((name) => `${name}/*`)]

export interface BundleOptions {
  /** Replacements for names that the source uses but does not declare. */
  readonly define?: Readonly<Record<string, string>>
  /** Excludes packages, and includes all other code, even if it is not used. */
  readonly ownCodeOnly?: boolean
}

/** The source can import the same modules as a test. */
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
