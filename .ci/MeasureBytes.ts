/** Measures the size of an import in a bundle, of the MCP server, and of its list of tools. */
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { open, toolsOf } from "../bench/mcpServers.ts"
import { size } from "../bench/size.ts"
import { bounded } from "./support.ts"

const bytesIn = (pattern: string): number =>
  globSync(pattern, { cwd: bounded.cwd }).reduce(
    (sum, file) => sum + statSync(join(bounded.cwd, file)).size,
    0
  )

const toolsList = async (): Promise<number> => {
  const server = open(join(bounded.cwd, "packages/mcp-server/dist/main.cjs"))
  const list = await server.request("tools/list", {})
  await server.stop()
  return Buffer.byteLength(JSON.stringify(toolsOf(list)))
}

export const measureBytes = async (): Promise<Readonly<Record<string, number>>> => {
  const { size: { rows } = { rows: [] } } = await size()
  const kilobytes = (start: string, value: string): number =>
    rows.find(({ labels }) => labels["import"]?.startsWith(start))?.values[value] ?? Number.NaN
  return {
    "bundle: core added to an Effect app": kilobytes(
      "`@messaging-topup/core`: service",
      "addedGzip"
    ),
    "bundle: promise client alone": kilobytes("`@messaging-topup/core/promise`", "aloneGzip"),
    "MCP server: all its code": bytesIn("packages/mcp-server/dist/*.cjs"),
    "MCP server: what each start loads": bytesIn(
      "packages/mcp-server/dist/{main,runtime,server}.cjs"
    ),
    "MCP server: tools/list": await toolsList()
  }
}
