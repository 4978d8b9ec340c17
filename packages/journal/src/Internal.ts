/** What the command and the MCP server need besides. It can change in any version. */
export { type RowState, stateOf } from "./many/Row.ts"
export type { RowCounts } from "./model/Campaign.ts"
export { checked } from "./many/Settings.ts"
export * as QuietHours from "./many/QuietHours.ts"
