/** The command: its options, what it prints, its log, and its end. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import {
  count,
  endOfNpx,
  general,
  helpOf,
  on,
  read,
  text,
  UsageError,
  versionOf,
  withDefault
} from "@messaging-topup/command"
import { isLoopback } from "./http/Access.ts"
import { defaults, onServer } from "./server/Run.ts"
import { forcedOutcomes } from "./service/Outcomes.ts"
import * as Seeds from "./service/Seeds.ts"
import type { StoredRequest } from "./Types.ts"

const kept = (newest: number) => ({ default: newest, minimum: 1, maximum: 999_999_999 })

const options = {
  port: count(
    "number",
    { default: 8080, minimum: 0, maximum: 65_535 },
    "Port to listen on; 0 picks a free one"
  ),
  host: withDefault(text("host", "", "Host to listen on"), defaults.host),
  token: text(
    "token",
    "a random one",
    "Access token to accept. Nothing hides it: do not give it that of the real service"
  ),
  maxMessages: count("number", kept(defaults.maxMessages), "Number of newest messages to keep"),
  maxRequests: count("number", kept(defaults.maxRequests), "Number of newest requests to keep"),
  json: on('Prints one line {"baseUrl":…,"token":…}, and the log as JSON lines'),
  quiet: on("Prints no log: by default, each request is a line on stderr"),
  ...general
}

const usage = `Usage: messaging-topup-sandbox [options]

Starts a mock server of the Messaging and Top-up Service. Nothing is ever sent.
The inbox is at /, and the control endpoints are at /_sandbox/. /openapi.json describes
all endpoints.

${helpOf(options)}

The end of a number +1555…, a message id or a reference code forces a response:

  Suffix  SMS accepted  Response
${forcedOutcomes
  .map(
    ({ accepted, response, suffix }) =>
      `  ${suffix}    ${accepted ? "yes" : "no "}           ${response}`
  )
  .join("\n")}

Any other recipient is accepted. Sample records: ${[...Seeds.airtime.keys(), ...Seeds.dataBundles.keys()].join(", ")},
and ${Seeds.bundles.length} data bundles.
`

/** The address comes last, because it is what the reader needs next. */
const startText = (baseUrl: string, token: string, needsToken: boolean): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.
The number +15550000402 is refused with 402: --help lists all such numbers.
Stop with Ctrl+C.

  export MESSAGING_TOPUP_BASE_URL=${baseUrl}
  export MESSAGING_TOPUP_TOKEN=${token}

  Address  ${baseUrl}
  Inbox    ${baseUrl}/${needsToken ? " (the token is the password)" : ""}
`

/** Seven or more digits, also with separators between them. */
const longNumber = /\d(?:(?:%[\da-f]{2}|[ ().-]){0,3}\d){6,}/gi

const shown = (words: string): string =>
  words
    .replaceAll(longNumber, (number) => `***${number.slice(-4)}`)
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .slice(0, 200)

/** Nothing of a body, and only the last four digits of a number in a path, which a refusal may repeat. */
const logLine = ({ body: _, ...request }: StoredRequest, asJson: boolean): string => {
  const path = shown(request.path)
  const refusal = request.refusal === undefined ? undefined : shown(request.refusal)
  if (asJson) return JSON.stringify({ ...request, path, refusal })
  const { fault, forced } = request
  const got = forced === undefined ? fault && `fault ${fault}` : `forced ${forced}`
  return [
    request.time,
    request.method,
    path,
    request.status ?? "-",
    refusal,
    got,
    request.message_id,
    request.disconnected ? "client left" : undefined,
    `${request.milliseconds} ms`
  ]
    .filter((field) => field !== undefined)
    .join(" ")
}

/** An unread log must not fill the memory. */
const maxWaitingBytes = 1024 * 1024

const log = (asJson: boolean) => (request: StoredRequest) => {
  const { stderr } = process
  if (stderr.writableLength < maxWaitingBytes) stderr.write(`${logLine(request, asJson)}\n`)
}

const print = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))
const printError = (line: string) => Effect.sync(() => void process.stderr.write(`${line}\n`))

const program = Effect.gen(function* () {
  const request = yield* read(options, process.argv.slice(2))
  if (request._tag === "Help") return yield* print(usage)
  if (request._tag === "Version") {
    return yield* print(yield* versionOf(new URL("../package.json", import.meta.url)))
  }
  const { help: _help, json, quiet, version: _version, ...start } = request.values
  const { host, token } = start
  if (host === "")
    return yield* new UsageError({ problem: "--host: give a host name or an address" })
  // The characters that an Authorization header allows.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    return yield* new UsageError({ problem: "--token: give visible ASCII characters only" })
  }
  const isLocal = isLoopback(host)
  const sandbox = yield* onServer(start, quiet ? undefined : log(json))
  if (!isLocal) {
    const warning = `Warning: ${host} is reachable from other machines over plain http. Use it only in a network you trust.`
    yield* printError(json ? JSON.stringify({ warning }) : warning)
  }
  const address = { baseUrl: sandbox.baseUrl, token: Redacted.value(sandbox.token) }
  yield* print(json ? JSON.stringify(address) : startText(address.baseUrl, address.token, !isLocal))
  yield* endOfNpx(process.env)
}).pipe(
  Effect.scoped,
  Effect.as(0),
  Effect.catchTags({
    UsageError: ({ problem }) =>
      Effect.as(printError(`${problem}\nSee messaging-topup-sandbox --help`), 2),
    ListenFailed: ({ message }) => Effect.as(printError(message), 1)
  })
)

export const run = (): void => {
  // The sandbox keeps running if a program closes a pipe after it has read a line.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const fiber = Effect.runFork(program)
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => fiber.interruptUnsafe())
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) {
      process.exitCode = exit.value
    } else if (!Cause.hasInterruptsOnly(exit.cause)) {
      process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
      process.exitCode = 1
    }
    // Unread lines on stderr would keep the process running.
    if (process.stderr.writableLength > 0) process.exit()
  })
}
