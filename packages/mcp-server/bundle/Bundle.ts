/** Bundles the server: what each of its published files has. */
import { join } from "node:path"
import type { OutputChunk } from "rolldown"
import { bundleFiles, bundleProgram, type Files } from "../../command/bundle/ProgramBundle.ts"
import { sdkChanges } from "./SdkChanges.ts"

const at = (path: string): string => join(import.meta.dirname, path)

const files: Files = {
  // Files below share the last ones. In one of them, the others would load that.
  server: [
    "mcp-server/src/Command.ts",
    "sandbox/src/server/Port.ts",
    "core/src/transport/TimedRequest.ts",
    "core/src/transport/Wire.ts",
    "core/src/NodeVersion.ts",
    "effect/dist/FiberSet.js"
  ],
  // What telemetry and the sandbox share.
  client: ["effect/dist/http/HttpClient.js"],
  undici: ["core/src/transport/NodeTransport.ts"],
  http: [
    "mcp-server/src/serve/http/HttpServer.ts",
    "mcp-server/src/serve/http/Authenticator.ts",
    "mcp-server/src/settings/HttpSettings.ts"
  ],
  journal: ["journal/src/sends/JournalLayer.ts", "journal/src/database/SqliteDatabase.ts"],
  card: ["mcp-server/src/card/CardPage.ts"],
  postgres: ["journal/src/database/PostgresDatabase.ts", "@effect/sql-pg/"],
  otel: ["mcp-server/src/Otlp.ts"],
  sandbox: ["sandbox/src/index.ts"],
  jose: ["jose/dist/"]
}

const alias = { "@modelcontextprotocol/server/_shims": at("SdkShims.ts") }

/** Bundles other programs on the same server, for the benchmarks. */
export const bundleOthers = (
  options: Omit<Parameters<typeof bundleFiles>[0], "alias" | "files">
): Promise<ReadonlyArray<OutputChunk>> => bundleFiles({ ...options, alias, files })

/** Replaces `outdir` with the published files, and returns what went into each of them. */
export const bundle = (outdir: string): Promise<ReadonlyArray<OutputChunk>> =>
  bundleProgram(at("../src/main.ts"), { outdir, files, alias, plugins: [sdkChanges] })
