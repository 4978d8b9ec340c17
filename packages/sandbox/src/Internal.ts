/** What the command and the MCP server need besides. It can change in any version. */
export { Html, html, type Value, visible } from "./Html.ts"
export * as Port from "./server/Port.ts"
export { defaults, onServer } from "./server/Start.ts"
export * as Seeds from "./service/Seeds.ts"
