/**
 * The text of --help.
 */
import { defaultOf, groups, type Option, variableOf } from "./Options.ts"

const entry = ([name, option]: readonly [string, Option]): string => {
  const flag = `  --${name}${option.kind === "switch" ? "" : ` <${option.value}>`}`
  const shown = defaultOf(option)
  return `${flag}\n      ${option.help}${shown === "" ? "" : ` (default: ${shown})`}`
}

const group = ([title, entries]: readonly [string, Readonly<Record<string, Option>>]): string =>
  [`${title}:`, ...Object.entries(entries).map(entry)].join("\n")

export const usage = `Usage: messaging-topup-mcp [options]
       messaging-topup-mcp sends [--unknown] [--json]
       messaging-topup-mcp resolve <id> --sent | --not-sent
       messaging-topup-mcp prune [--unknown] [--older-than <duration>]

MCP server for the Messaging and Top-up Service, over stdio unless --http is given. "sends" lists
what was sent, "resolve" decides whether a send of unknown outcome was sent, "prune" forgets old
sends. All three use the state that --state names.

The service and its access token come from the environment:
  MESSAGING_TOPUP_BASE_URL, MESSAGING_TOPUP_TOKEN and, optionally, MESSAGING_TOPUP_TIMEOUT
  (such as "30 seconds"). MESSAGING_TOPUP_BASE_URL_FILE and MESSAGING_TOPUP_TOKEN_FILE name files
  that hold the address and the token.

Every option is also a variable: --max-segments is ${variableOf("max-segments")}.
MESSAGING_TOPUP_MCP_BEARER_KEYS holds bearer keys as name:key, separated by commas.
MESSAGING_TOPUP_MCP_STATE_URL, or the file that MESSAGING_TOPUP_MCP_STATE_URL_FILE names, holds the
URL of the PostgreSQL database, such as postgres://user:password@host/database.

${Object.entries(groups).map(group).join("\n\n")}
`
