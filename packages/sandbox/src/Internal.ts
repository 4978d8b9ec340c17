/** What the command and the MCP server need besides. It can change in any version. */
export * as Port from "./server/Port.ts"
