/**
 * The options of the command, as data. The parser, the defaults, the help and the documentation are
 * derived from them.
 */
import * as Duration from "effect/Duration"

/** On or off. */
export interface Switch {
  readonly kind: "switch"
  readonly help: string
}

/** A whole number. */
export interface Count {
  readonly kind: "count"
  readonly value: string
  readonly default: number
  readonly minimum: number
  readonly maximum: number
  readonly help: string
}

/** A duration such as `10 minutes`. */
export interface Time {
  readonly kind: "duration"
  readonly value: "duration"
  readonly default: Duration.Duration
  readonly minimum: Duration.Duration
  readonly maximum: Duration.Duration
  readonly help: string
}

/** One of a few words. */
export interface Choice<A extends string = string> {
  readonly kind: "choice"
  readonly value: string
  readonly choices: ReadonlyArray<A>
  readonly default: A
  readonly help: string
}

/** Any text. `whenAbsent` describes the default. */
export interface Text {
  readonly kind: "text"
  readonly value: string
  readonly whenAbsent: string
  readonly help: string
}

export type Option = Switch | Count | Time | Choice | Text

const on = (help: string): Switch => ({ kind: "switch", help })

const count = (
  value: string,
  bounds: { readonly default: number; readonly minimum: number; readonly maximum: number },
  help: string
): Count => ({ kind: "count", value, ...bounds, help })

/** Timers of Node overflow after 2^31 ms, which is less than 25 days. */
const longestTimer = Duration.days(24)

const duration = (
  bounds: {
    readonly default: Duration.Input
    readonly minimum: Duration.Input
    readonly maximum?: Duration.Input
  },
  help: string
): Time => ({
  kind: "duration",
  value: "duration",
  default: Duration.fromInputUnsafe(bounds.default),
  minimum: Duration.fromInputUnsafe(bounds.minimum),
  maximum: Duration.fromInputUnsafe(bounds.maximum ?? longestTimer),
  help
})

const choice = <const A extends string>(
  choices: ReadonlyArray<A>,
  defaultChoice: NoInfer<A>,
  help: string
): Choice<A> => ({
  kind: "choice",
  value: choices.join("|"),
  choices,
  default: defaultChoice,
  help
})

const text = (value: string, whenAbsent: string, help: string): Text => ({
  kind: "text",
  value,
  whenAbsent,
  help
})

/** The maximums of one call. A policy can lower them for a caller. */
export const maximums = {
  "max-recipients": count(
    "count",
    { default: 1, minimum: 1, maximum: 1_000 },
    "Maximum numbers in the recipient of one call"
  ),
  "max-segments": count(
    "count",
    { default: 10, minimum: 1, maximum: 255 },
    "Maximum segments of one SMS"
  )
} satisfies Record<string, Count>

export type Maximum = keyof typeof maximums

const sending = {
  "read-only": on("Removes send_sms"),
  tools: text("names", "all", "Tools to offer, separated by commas"),
  "allow-recipients": text(
    "rules",
    "everyone",
    "Numbers that may be written to, separated by commas; a rule that ends in * is a prefix, such as +2547*"
  ),
  "require-allow-list": on("Refuses to start without --allow-recipients"),
  ...maximums,
  "max-sends-per-hour": count(
    "count",
    { default: 100, minimum: 1, maximum: 1_000_000 },
    "Maximum SMS in any 60 minutes, for all callers together"
  ),
  "max-segments-per-day": count(
    "count",
    { default: 1_000, minimum: 1, maximum: 100_000_000 },
    "Maximum segments in any 24 hours, for all callers together"
  ),
  "duplicate-window": duration(
    { default: "10 minutes", minimum: 0 },
    "How long a repeated call returns the result of the first send, instead of sending again"
  ),
  confirm: choice(
    ["auto", "require", "off"],
    "auto",
    "Which sends a person must approve: auto, all sends if the client can ask, otherwise only second sends; require, all sends; off, only second sends of an SMS"
  ),
  "confirm-timeout": duration(
    { default: "10 minutes", minimum: "1 second" },
    "How long a person may take to approve a send"
  ),
  policy: text(
    "path",
    "the same rules for all callers",
    "JSON file with stricter rules for individual callers"
  ),
  state: text(
    "memory|postgres|sqlite:path",
    "a file of this user over stdio; memory over HTTP and with --sandbox",
    "Where sends, limits and approvals are stored; several processes can share it"
  ),
  "unknown-hold": duration(
    { default: "24 hours", minimum: "1 minute" },
    "How long a send of unknown outcome blocks the same SMS, unless the send is resolved"
  ),
  "approval-key-file": text(
    "path",
    "a new key at each start",
    "File with the key that signs approvals, at least 32 bytes; replicas need the same key"
  )
} satisfies Record<string, Option>

const http = {
  http: on("Serves over Streamable HTTP instead of stdio"),
  host: text("address", "127.0.0.1", "Address to listen on"),
  port: count(
    "port",
    { default: 8808, minimum: 0, maximum: 65_535 },
    "Port to listen on; 0 picks a free port"
  ),
  "public-url": text(
    "url",
    "the address it listens on",
    "URL at which clients reach the server, such as https://sms.example.com/mcp"
  ),
  "allowed-hosts": text(
    "names",
    "the names of this machine, and that of --public-url",
    "Host names that requests may be addressed to, separated by commas"
  ),
  "allowed-origins": text(
    "names",
    "none",
    "Host names of web pages that may call the server, separated by commas"
  ),
  "bearer-keys-file": text(
    "path",
    "no keys",
    "File with one named bearer key per line, as name:key"
  ),
  "oauth-issuer": text("url", "no OAuth", "Authorization server whose access tokens are accepted"),
  "oauth-audience": text(
    "audience",
    "the value of --public-url",
    "Audience that a token must name"
  ),
  "oauth-jwks-url": text("url", "from the issuer's metadata", "URL of the issuer's keys"),
  "max-sessions": count(
    "count",
    { default: 100, minimum: 1, maximum: 100_000 },
    "Maximum open sessions of clients of the legacy protocol"
  ),
  "session-idle-timeout": duration(
    { default: "30 minutes", minimum: "1 second" },
    "How long a session may be idle before it is closed"
  )
} satisfies Record<string, Option>

const sends = {
  unknown: on("Lists, or forgets, only sends of unknown outcome"),
  json: on("Prints one JSON object per line"),
  sent: on("Decides that the SMS was sent"),
  "not-sent": on("Decides that the SMS was not sent, so that it can be resent"),
  "older-than": duration(
    { default: "90 days", minimum: "0 seconds", maximum: "36500 days" },
    "Forgets sends whose outcome was recorded, or became unknown, longer ago than this"
  )
} satisfies Record<string, Option>

const general = {
  sandbox: on("Runs on a built-in mock server: nothing is ever sent"),
  inbox: on(
    "With --sandbox: serves a page that shows what was sent, on a free port of this machine"
  ),
  help: on("Prints this help"),
  version: on("Prints the version")
} satisfies Record<string, Option>

export const groups = {
  "What may be sent": sending,
  "Over HTTP": http,
  "For the commands sends, resolve and prune": sends,
  General: general
}

export const options = { ...sending, ...http, ...sends, ...general }

export type Options = typeof options

export type Name = keyof Options

/** The names of the options of one kind. */
export type NameOf<Kind extends Option["kind"]> = {
  [K in Name]: Options[K]["kind"] extends Kind ? K : never
}[Name]

const isName = (name: string): name is Name => Object.hasOwn(options, name)

export const names: ReadonlyArray<Name> = Object.keys(options).filter(isName)

/** Returns the default as the help and the documentation show it; empty for a switch. */
export const defaultOf = (option: Option): string => {
  switch (option.kind) {
    case "switch":
      return ""
    case "count":
      return String(option.default)
    case "duration":
      return durationText(option.default)
    case "choice":
      return option.default
    case "text":
      return option.whenAbsent
  }
}

/** Writes a duration in the largest unit that makes it a whole number. */
export const durationText = (value: Duration.Duration): string => {
  const [amount, unit] = (
    [
      [Duration.toDays(value), "day"],
      [Duration.toHours(value), "hour"],
      [Duration.toMinutes(value), "minute"]
    ] as const
  ).find(([each]) => each >= 1 && Number.isInteger(each)) ?? [Duration.toSeconds(value), "second"]
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`
}

const prefix = "MESSAGING_TOPUP_MCP_"

/** Returns the environment variable of an option. */
export const variableOf = (name: string): string => prefix + name.toUpperCase().replaceAll("-", "_")

/** Names an option as argument and as variable. */
export const bothNames = (name: Name): string => `--${name} (${variableOf(name)})`

/** The variable that holds the keys themselves, for hosts that pass secrets as variables. */
export const keysVariable = `${prefix}BEARER_KEYS`

/** The variable that holds the database URL of `--state postgres`. */
export const stateUrlVariable = `${prefix}STATE_URL`

/** The variable that names a file with that URL. */
export const stateUrlFileVariable = `${prefix}STATE_URL_FILE`

export const variables: ReadonlyArray<string> = [
  ...names.map(variableOf),
  keysVariable,
  stateUrlVariable,
  stateUrlFileVariable
]

/** Returns the variables to reject: a guard whose variable is misspelled would be missing. */
export const unknownVariables = (environment: Readonly<Record<string, string | undefined>>) =>
  Object.keys(environment).filter((name) => name.startsWith(prefix) && !variables.includes(name))
