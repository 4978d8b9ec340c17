/**
 * The text of --help.
 */
import { groups, type Option, variableOf } from "./Options.ts"

const entry = ([name, { fallback, help, value }]: readonly [string, Option]): string => {
  const flag = `  --${name}${value === undefined ? "" : ` <${value}>`}`
  const ending = fallback === undefined ? "" : ` (default: ${fallback})`
  return `${flag}\n      ${help}${ending}`
}

const group = ([title, entries]: readonly [string, Readonly<Record<string, Option>>]): string =>
  [`${title}:`, ...Object.entries(entries).map(entry)].join("\n")

export const usage = `Usage: messaging-topup-mcp [options]

MCP server for the Messaging and Top-up Service, over stdio unless --http is given.

The service and its access token come from the environment:
  MESSAGING_TOPUP_BASE_URL, MESSAGING_TOPUP_TOKEN and, where wanted, MESSAGING_TOPUP_TIMEOUT
  (such as "30 seconds"). MESSAGING_TOPUP_BASE_URL_FILE and MESSAGING_TOPUP_TOKEN_FILE name files
  that hold them.

Every option is also a variable: --max-segments is ${variableOf("max-segments")}.
MESSAGING_TOPUP_MCP_KEYS holds bearer keys as name:key, separated by commas.

${Object.entries(groups).map(group).join("\n\n")}
`
