/** The path of the MCP server for tests. */
import { fileURLToPath } from "node:url"

export const serverFile = fileURLToPath(
  new URL("../../node_modules/.cache/mcp-server/main.cjs", import.meta.url)
)
