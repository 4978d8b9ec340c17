/**
 * The options of the command, as data. The parser, the defaults, the help and the documentation are
 * derived from them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import * as CommandLine from "@messaging-topup/command"
import {
  contentOf,
  journalVariable,
  readVariable as readSecret
} from "@messaging-topup/journal/internal"
import { type AllowRule, parseAllowRule } from "./AllowList.ts"

/** Splits at commas, and drops blanks around the entries and empty entries. */
const listOf = (given: string): ReadonlyArray<string> =>
  given
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

/** Everyone is a rule that stands alone: beside others, it would hide a mistake. */
const allowRules = (given: string): Result.Result<ReadonlyArray<AllowRule>, string> => {
  const entries = listOf(given)
  if (entries.join() === "*") return Result.succeed([{ start: "", exact: false }])
  const rules = entries.map(parseAllowRule).filter((rule) => rule !== undefined)
  return rules.length > 0 && rules.length === entries.length
    ? Result.succeed(rules)
    : Result.fail(
        "give numbers separated by commas, such as +254700000001, or prefixes that end in *, such as +2547*; or only * for everyone"
      )
}

/** A host name without port, or an IPv6 address in brackets. */
const isHostname = (given: string): boolean => /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)$/i.test(given)

const hostnames = (given: string): Result.Result<ReadonlyArray<string>, string> => {
  const listed = listOf(given)
  return listed.length > 0 && listed.every(isHostname)
    ? Result.succeed(listed.map((host) => host.toLowerCase()))
    : Result.fail("give host names without scheme and port, separated by commas")
}

const publicUrl = (given: string): Result.Result<URL, string> => {
  const url = URL.parse(given)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === ""
    ? Result.succeed(url)
    : Result.fail("give a URL that starts with https:// or http://")
}

/** The service may send status updates there, with numbers, so it must be https. */
const webhookUrl = (given: string): Result.Result<string, string> =>
  URL.parse(given)?.protocol === "https:" && /^[\u0021-\u007e]+$/.test(given)
    ? Result.succeed(given)
    : Result.fail("give a URL that starts with https://")

/** Reads the variable of a secret, or the file that another one names. */
export const readVariable = (environment: CommandLine.Environment, name: string) =>
  Effect.catch(Effect.fromResult(readSecret(environment, name)), CommandLine.refuse)

const keyBytes = 32

const approvalKey = (path: string): Result.Result<Uint8Array, string> =>
  Result.filterOrFail(
    contentOf(path),
    (key) => key.length >= keyBytes,
    () =>
      `the file holds fewer than ${keyBytes} bytes; make one with: openssl rand -out approval.key ${keyBytes}`
  )

/** What no server can allow more of. */
export const largest = { segments: 255, batch: 1_000 }

const sending = {
  "read-only": CommandLine.on("Removes send_sms and send_sms_batch"),
  "allow-recipients": CommandLine.parsed(
    "rules",
    "whom a person approves",
    "Numbers that may be written to, separated by commas; a rule that ends in * is a prefix, such as +2547*, and only * is everyone. Where nobody is asked, a send needs it, and a batch needs numbers",
    allowRules
  ),
  "max-segments": CommandLine.count(
    "count",
    { default: 6, minimum: 1, maximum: largest.segments },
    "Maximum segments of one SMS"
  ),
  "max-batch": CommandLine.count(
    "count",
    { default: 100, minimum: 1, maximum: largest.batch },
    "Maximum rows of one call of send_sms_batch"
  ),
  "max-sends-per-hour": CommandLine.count(
    "count",
    { default: 100, minimum: 1, maximum: 1_000_000 },
    "Maximum SMS in any 60 minutes, for all callers together"
  ),
  confirm: CommandLine.withDefault(
    CommandLine.choice(
      ["auto", "require", "off"],
      "",
      "Which sends a person must approve: auto, all sends if the client can ask, otherwise those to numbers that --allow-recipients does not name, and second sends; require, all sends; off, only second sends and texts that look unfilled (it needs --allow-recipients)"
    ),
    "auto"
  ),
  cards: CommandLine.withDefault(
    CommandLine.choice(
      ["auto", "off"],
      "",
      "Whether a client that can show pages, but no questions, shows the approval as a card: auto, or off, with which it cannot ask"
    ),
    "auto"
  ),
  "webhook-url": CommandLine.parsed(
    "url",
    "none",
    "https address that the service is given for status updates of every SMS",
    webhookUrl
  ),
  journal: CommandLine.text(
    "path|memory|postgres",
    "a file of this user; memory with --sandbox",
    `Where sends and approvals are stored, as ${journalVariable} says; several processes can share it, and memory forgets them at a restart`
  ),
  "approval-key-file": CommandLine.parsed(
    "path",
    "a new key at each start",
    "File with the key that signs approvals, at least 32 bytes; replicas need the same key",
    approvalKey
  )
}

const http = {
  http: CommandLine.on("Serves over Streamable HTTP instead of stdio"),
  host: CommandLine.withDefault(
    CommandLine.text("address", "", "Address to listen on"),
    "127.0.0.1"
  ),
  port: CommandLine.count(
    "port",
    { default: 8808, minimum: 0, maximum: 65_535 },
    "Port to listen on; 0 picks a free port"
  ),
  "public-url": CommandLine.parsed(
    "url",
    "the address it listens on",
    "URL at which clients reach the server, such as https://sms.example.com/mcp",
    publicUrl
  ),
  "allowed-hosts": CommandLine.parsed(
    "names",
    "the names of this machine, and that of --public-url",
    "Host names that requests may be addressed to, separated by commas",
    hostnames
  ),
  "oauth-issuer": CommandLine.text(
    "url",
    "no OAuth",
    "Authorization server whose access tokens are accepted"
  ),
  "oauth-audience": CommandLine.text(
    "audience",
    "the value of --public-url",
    "Audience that a token must name"
  )
}

const general = {
  sandbox: CommandLine.on("Runs on a built-in mock server: nothing is ever sent"),
  inbox: CommandLine.on(
    "With --sandbox: serves a page that shows what was sent, on a free port of this machine"
  ),
  ...CommandLine.general
}

export const groups = {
  "What may be sent": sending,
  "Over HTTP": http,
  General: general
}

export const options = { ...sending, ...http, ...general }

/** What the operator gave. */
export type Given = CommandLine.Given<CommandLine.Values<typeof options>>

export type Name = keyof typeof options

export const names: ReadonlyArray<Name> = Struct.keys(options)

const servicePrefix = "MESSAGING_TOPUP_"

const prefix = "MESSAGING_TOPUP_MCP_"

/** All programs have one journal, and one name for it. */
export const variableOf = (name: string): string =>
  name === "journal" ? journalVariable : CommandLine.variableOf(prefix, name)

/** The variable that holds the bearer keys. A secret is no argument: with `_FILE`, a variable names its file. */
export const keysVariable = `${prefix}BEARER_KEYS`

export const variables: ReadonlyArray<string> = [
  ...names.map(variableOf),
  ...[keysVariable, journalVariable].map((name) => `${name}_FILE`),
  keysVariable
]

export const command = { options, variables: { prefix, known: variables } }

/** Names an option as argument and as variable. */
export const bothNames = (name: Name): string => `--${name} (${variableOf(name)})`

export const badOption = (name: Name, problem: string): CommandLine.UsageError =>
  new CommandLine.UsageError({ problem: `${bothNames(name)}: ${problem}` })

/** Fails if a variable has a name that would set nothing. */
export const checkNames = Effect.fnUntraced(function* (given: CommandLine.Environment) {
  const environment = CommandLine.withoutLinks(given)
  for (const name of variables) {
    // With the other prefix, it would set nothing.
    const misnamed = name.startsWith(prefix)
      ? name.replace(prefix, servicePrefix)
      : name.replace(servicePrefix, prefix)
    if ((environment[misnamed] ?? "") !== "") {
      return yield* CommandLine.refuse(
        `${misnamed}: there is no such variable; did you mean ${name}?`
      )
    }
  }
})

/** The text of --help. */
export const usage = (): string => `Usage: messaging-topup-mcp [options]

MCP server for the Messaging and Top-up Service, over stdio unless --http is given. What was sent,
the command messaging-topup lists (sends), decides about (resolve) and deletes (prune).

The service's settings come from the environment, as for the command: MESSAGING_TOPUP_BASE_URL,
MESSAGING_TOPUP_TOKEN and, optionally, others, such as MESSAGING_TOPUP_TIMEOUT ("30 seconds").
MESSAGING_TOPUP_BASE_URL_FILE and MESSAGING_TOPUP_TOKEN_FILE name files that hold the first two.

Every option is also a variable: --max-segments is ${variableOf("max-segments")}.
MESSAGING_TOPUP_MCP_BEARER_KEYS, or the file that MESSAGING_TOPUP_MCP_BEARER_KEYS_FILE names, holds
bearer keys as name:key, one per line or separated by commas. ${journalVariable}, or the file that
${journalVariable}_FILE names, says where the journal is: a path, memory, or the URL of a PostgreSQL
database, such as postgres://user:password@host/database.

${CommandLine.helpOfGroups(groups)}
`
