/**
 * The text of --help.
 */
import { defaultOf, groups, type Option, variableOf } from "./Options.ts"

const entry = ([name, option]: readonly [string, Option]): string => {
  const flag = `  --${name}${option.kind === "switch" ? "" : ` <${option.value}>`}`
  const fallback = defaultOf(option)
  return `${flag}\n      ${option.help}${fallback === "" ? "" : ` (default: ${fallback})`}`
}

const group = ([title, entries]: readonly [string, Readonly<Record<string, Option>>]): string =>
  [`${title}:`, ...Object.entries(entries).map(entry)].join("\n")

export const usage = `Usage: messaging-topup-mcp [options]

MCP server for the Messaging and Top-up Service, over stdio unless --http is given.

The service and its access token come from the environment:
  MESSAGING_TOPUP_BASE_URL, MESSAGING_TOPUP_TOKEN and, optionally, MESSAGING_TOPUP_TIMEOUT
  (such as "30 seconds"). MESSAGING_TOPUP_BASE_URL_FILE and MESSAGING_TOPUP_TOKEN_FILE name files
  that hold them.

Every option is also a variable: --max-segments is ${variableOf("max-segments")}.
MESSAGING_TOPUP_MCP_BEARER_KEYS holds bearer keys as name:key, separated by commas.

${Object.entries(groups).map(group).join("\n\n")}
`
