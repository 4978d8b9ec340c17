/**
 * The options of the command, as data: the parser, the help and the documentation come from here.
 */
export interface Option {
  /** What a value looks like; absent for a switch. */
  readonly value?: string
  readonly fallback?: string
  readonly help: string
}

const guards = {
  "read-only": { help: "send_sms does not exist" },
  tools: {
    value: "names",
    fallback: "all",
    help: "Tools that exist, separated by commas"
  },
  "allow-recipients": {
    value: "rules",
    fallback: "everyone",
    help: "Numbers that may be written to, separated by commas; a rule that ends in * is a prefix, such as +2547*"
  },
  "require-allow-list": { help: "Does not start without --allow-recipients" },
  "max-segments": {
    value: "count",
    fallback: "10",
    help: "Most segments of one SMS"
  },
  "max-sends-per-hour": {
    value: "count",
    fallback: "100",
    help: "Most SMS in any 60 minutes, for all callers together"
  },
  "duplicate-window": {
    value: "duration",
    fallback: "10 minutes",
    help: "How long the same SMS to the same recipient answers with the first result instead of sending"
  },
  confirm: {
    value: "auto|require|off",
    fallback: "auto",
    help: "Whether a person is asked before a send: where the client can ask, always, or never"
  },
  "confirm-within": {
    value: "duration",
    fallback: "10 minutes",
    help: "How long a question waits for its answer"
  },
  "approval-key-file": {
    value: "path",
    fallback: "a new key at each start",
    help: "File with the key that signs questions, at least 32 bytes; replicas share it"
  }
} satisfies Record<string, Option>

const http = {
  http: { help: "Serves over Streamable HTTP instead of stdio" },
  host: { value: "address", fallback: "127.0.0.1", help: "Where to listen" },
  port: { value: "port", fallback: "8808", help: "Port to listen on; 0 takes a free one" },
  "public-url": {
    value: "url",
    fallback: "the address it listens on",
    help: "Where clients reach the endpoint, such as https://sms.example.com/mcp"
  },
  "allowed-hosts": {
    value: "names",
    fallback: "this machine's, and that of --public-url",
    help: "Host names that requests may be addressed to, separated by commas"
  },
  "allowed-origins": {
    value: "names",
    fallback: "this machine's",
    help: "Host names of web pages that may call, separated by commas"
  },
  "keys-file": {
    value: "path",
    fallback: "no keys",
    help: "File with one named bearer key a line, as name:key"
  },
  "oauth-issuer": {
    value: "url",
    fallback: "no OAuth",
    help: "Authorization server whose access tokens are accepted"
  },
  "oauth-audience": {
    value: "audience",
    fallback: "the value of --public-url",
    help: "Audience that a token must name"
  },
  "oauth-jwks-url": {
    value: "url",
    fallback: "from the issuer's metadata",
    help: "Where the issuer's keys are"
  },
  "max-sessions": {
    value: "count",
    fallback: "100",
    help: "Most sessions of clients of the older protocol"
  },
  "session-idle": {
    value: "duration",
    fallback: "30 minutes",
    help: "When a session that nothing was heard of is closed"
  }
} satisfies Record<string, Option>

const general = {
  sandbox: { help: "Runs on a built-in stand-in for the service: nothing is ever sent" },
  help: { help: "Prints this" },
  version: { help: "Prints the version" }
} satisfies Record<string, Option>

export const groups = { "What may be sent": guards, "Over HTTP": http, General: general }

export const options: Readonly<Record<Name, Option>> = { ...guards, ...http, ...general }

export type Name = keyof typeof guards | keyof typeof http | keyof typeof general

export const names = [...Object.keys(guards), ...Object.keys(http), ...Object.keys(general)]

const prefix = "MESSAGING_TOPUP_MCP_"

/** The environment variable of an option. */
export const variableOf = (name: string): string => prefix + name.toUpperCase().replaceAll("-", "_")

/** Holds keys itself, for hosts that give secrets as variables. */
export const keysVariable = `${prefix}KEYS`

/** A variable that is spelled wrong is a guard that is not there. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>>) => {
  const known = new Set([...names.map(variableOf), keysVariable])
  return Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.has(name))
}
