/**
 * Bundles a program into the files that are published, which need no other package.
 *
 * `main.cjs` turns on Node's compile cache and loads the rest. They are two files because Node compiles a file
 * before its first line runs: the file that turns the cache on cannot come from it. `runtime.cjs` is the
 * bundler's own. All other files are loaded when they are first needed.
 */
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { build, type OutputChunk, type Plugin } from "rolldown"
import { licenses } from "../../core/bundle/Licenses.ts"
import { isAt, requireModules } from "../../core/bundle/ModulePaths.ts"

const root = join(import.meta.dirname, "../../../")

export const licensesFile = "THIRD-PARTY-LICENSES.txt"

/**
 * The modules of each file, by its name. A file also has all that these modules import, except what a file
 * above it has.
 */
export type Files = Readonly<Record<string, ReadonlyArray<string>>>

interface Options {
  readonly input: Record<string, string>
  readonly outdir: string
  readonly files: Files
  readonly alias?: Record<string, string>
  readonly define?: Record<string, string>
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Writes the files, and returns what went into each of them. */
export const bundleFiles = async ({
  alias = {},
  define,
  files,
  input,
  outdir,
  plugins = []
}: Options): Promise<ReadonlyArray<OutputChunk>> => {
  const { output } = await build({
    input,
    cwd: root,
    platform: "node",
    plugins: [...plugins],
    preserveEntrySignatures: false,
    // `files` says what is loaded when.
    checks: { ineffectiveDynamicImport: false },
    resolve: { alias },
    // Effect reads environment variables from `import.meta`, which CommonJS does not have.
    transform: { target: "node22.19", define: { "import.meta": "{}", ...define } },
    output: {
      dir: outdir,
      format: "cjs",
      minify: true,
      // Node keeps a file with any other character in two bytes each.
      charset: "ascii",
      // The licences are in a file of their own.
      comments: false,
      entryFileNames: "[name].cjs",
      chunkFileNames: ({ name }) => (name === "rolldown-runtime" ? "runtime.cjs" : "[name].cjs"),
      codeSplitting: {
        groups: Object.entries(files).map(([name, paths]) => ({
          name,
          test: (id: string) => paths.some((path) => isAt(id, path))
        }))
      }
    }
  })
  return output.filter((file) => file.type === "chunk")
}

/** Replaces `outdir` with the published files of a program, and returns what went into each of them. */
export const bundleProgram = async (
  main: string,
  { outdir, ...options }: Omit<Options, "input">
): Promise<ReadonlyArray<OutputChunk>> => {
  rmSync(outdir, { recursive: true, force: true })
  const chunks = await bundleFiles({ ...options, input: { main }, outdir })
  const ids = chunks.flatMap(({ moduleIds }) => moduleIds)
  const instead = Object.values(options.alias ?? {}).map((file) => relative(root, file))
  requireModules("An alias of the bundle", instead, ids)
  for (const [name, paths] of Object.entries(options.files)) {
    requireModules(`The file ${name} of the bundle`, paths, ids)
  }
  chmodSync(join(outdir, "main.cjs"), 0o755)
  writeFileSync(join(outdir, licensesFile), licenses(root, chunks))
  return chunks
}
