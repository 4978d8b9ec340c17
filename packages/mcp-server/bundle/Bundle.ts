/**
 * The server as it ships: plain files without dependencies.
 *
 * `main.cjs` turns Node's compile cache on and loads `server.cjs`. They are two files because Node
 * compiles a file before its first line runs, so that one file would never come from the cache.
 * `undici.cjs` and `jose.cjs`, half of the code, are read when they are first needed.
 */
import { build, type Metafile, type Plugin } from "esbuild"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { licenses } from "./Licenses.ts"

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const root = at("../../../")

export const licensesFile = "THIRD-PARTY-LICENSES.txt"

/** Of each file, the module that it starts with. The first two are ours. */
type Entries = ReadonlyMap<string, string>

/** Has a file of its own, and neither imports nor is imported by what would then exist twice. */
const separate = /^(undici|jose)$/

/** Sends imports of a module with a file of its own to that file, and remembers the module. */
const apart = (found: Map<string, string>): Plugin => ({
  name: "apart",
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /^\.\/Process\.ts$/ }, () => ({ path: "./server.cjs", external: true }))
    onResolve({ filter: separate }, async ({ kind, path, pluginData, resolveDir }) => {
      if (kind === "entry-point" || pluginData === apart) return undefined
      const module = await resolve(path, { kind, resolveDir, pluginData: apart })
      found.set(path, module.path)
      return { path: `./${path}.cjs`, external: true }
    })
  }
})

const bundleEntries = async (
  entries: Entries,
  outdir: string,
  found: Map<string, string>
): Promise<Metafile> => {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(entries),
    absWorkingDir: root,
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    target: "node22.19",
    // The licences are in a file of their own.
    legalComments: "none",
    alias: { "@modelcontextprotocol/server/_shims": at("SdkShims.ts") },
    plugins: [apart(found)],
    supported: { "dynamic-import": false },
    metafile: true,
    logLevel: "error"
  })
  return metafile
}

/** What esbuild says went into the files in `outdir`. */
export const bundle = async (outdir: string): Promise<ReadonlyArray<Metafile>> => {
  rmSync(outdir, { recursive: true, force: true })
  const found = new Map<string, string>()
  const ours = new Map([
    ["main", at("../src/main.ts")],
    ["server", at("../src/Process.ts")]
  ])
  const metafiles = [
    await bundleEntries(ours, outdir, found),
    await bundleEntries(new Map(found), outdir, found)
  ]
  writeFileSync(join(outdir, licensesFile), licenses(root, metafiles))
  return metafiles
}
