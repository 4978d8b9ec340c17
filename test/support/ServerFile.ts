/** Where the tests' MCP server is, for `node` to run. */
import { fileURLToPath } from "node:url"

export const serverFile = fileURLToPath(
  new URL("../../node_modules/.cache/mcp-server/main.cjs", import.meta.url)
)
