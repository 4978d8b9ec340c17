/**
 * Bundles the server into the files that are published, which need no other package.
 *
 * `main.cjs` turns on Node's compile cache and loads `server.cjs`. They are two files because Node
 * compiles a file before its first line runs: the file that turns the cache on cannot come from it.
 * `runtime.cjs` is the bundler's own. All other files are loaded when they are first needed.
 */
import { chmodSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build, type OutputChunk, type Plugin } from "rolldown"
import { licenses } from "../../core/bundle/Licenses.ts"
import { sdkChanges } from "./SdkChanges.ts"

const at = (path: string): string => join(import.meta.dirname, path)

const root = at("../../../")

export const licensesFile = "THIRD-PARTY-LICENSES.txt"

/**
 * The modules of each file, by its name. A file also has all that these modules import, except what a
 * file above it has.
 */
const modulesByFile = {
  // Files below share the last ones. In one of them, the others would load that.
  server:
    /\/mcp-server\/src\/Command\.ts$|\/command-line\/Port\.ts$|\/transport\/(Attempt|Wire)\.ts$|\/FiberSet\.js$/,
  // What telemetry and the sandbox share.
  client: /\/effect\/dist\/http\/HttpClient\.js$/,
  undici: /\/core\/src\/transport\/NodeTransport\.ts$/,
  http: /\/(serve\/http\/(HttpServer|Authenticator)|settings\/HttpSettings)\.ts$/,
  journal: /\/journal\/src\/Sqlite\.ts$/,
  SendsCommand: /\/mcp-server\/src\/SendsCommand\.ts$/,
  postgres: /\/journal\/src\/Postgres\.ts$/,
  otel: /\/mcp-server\/src\/Otlp\.ts$/,
  sandbox: /\/sandbox\/src\/index\.ts$/,
  jose: /\/jose\/dist\//
}

interface Options {
  readonly input: Record<string, string>
  readonly outdir: string
  readonly define?: Record<string, string>
  readonly plugins?: ReadonlyArray<Plugin>
}

/** Writes the files, and returns what went into each of them. */
export const bundleFiles = async ({
  define,
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
    resolve: { alias: { "@modelcontextprotocol/server/_shims": at("SdkShims.ts") } },
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
        groups: Object.entries(modulesByFile).map(([name, test]) => ({ name, test }))
      }
    }
  })
  return output.filter((file) => file.type === "chunk")
}

/** Replaces `outdir` with the published files, and returns what went into each of them. */
export const bundle = async (outdir: string): Promise<ReadonlyArray<OutputChunk>> => {
  rmSync(outdir, { recursive: true, force: true })
  const chunks = await bundleFiles({
    input: { main: at("../src/main.ts") },
    outdir,
    plugins: [sdkChanges]
  })
  chmodSync(join(outdir, "main.cjs"), 0o755)
  writeFileSync(join(outdir, licensesFile), licenses(root, chunks))
  return chunks
}
