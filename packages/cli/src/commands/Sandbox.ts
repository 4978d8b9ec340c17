/** `sandbox`: starts a mock server. Its options, what it prints, its log, and its end. */
import {
  count,
  exitCodes,
  general,
  Invocation,
  note,
  on,
  parsed,
  print,
  text,
  type Values,
  variableOf,
  withDefault
} from "@messaging-topup/command"
import { isLoopbackHost } from "@messaging-topup/core/internal"
import { forcedOutcomes, type StoredRequest } from "@messaging-topup/sandbox"
import { defaults, onServer, Seeds } from "@messaging-topup/sandbox/internal"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import type { Writable } from "node:stream"
import { commandOf } from "../CommandFile.ts"

const kept = (newest: number) => ({ default: newest, minimum: 1, maximum: 999_999_999 })

export const options = {
  port: count(
    "number",
    { default: 8080, minimum: 0, maximum: 65_535 },
    "Port to listen on; 0 picks a free one"
  ),
  host: withDefault(
    parsed("host", "", "Host to listen on", (host) =>
      host === "" ? Result.fail("give a host name or an address") : Result.succeed(host)
    ),
    defaults.host
  ),
  token: parsed(
    "token",
    "a random one",
    "Access token to accept. Nothing hides it: do not give it that of the real service",
    // The characters that an Authorization header allows.
    (token) =>
      /^[\x21-\x7e]+$/.test(token)
        ? Result.succeed(token)
        : Result.fail("give visible ASCII characters only")
  ),
  maxMessages: count("number", kept(defaults.maxMessages), "Number of newest messages to keep"),
  maxRequests: count("number", kept(defaults.maxRequests), "Number of newest requests to keep"),
  webhookBody: text(
    "json",
    "no webhook is called",
    'What a webhook_url on this machine gets when the status of its SMS changes, such as {"id":"{message_id}","state":"{status}"}: the body of the service is not known'
  ),
  json: on('Prints one line {"base_url":…,"token":…}, and the log as JSON lines'),
  quiet: on("Prints no log: by default, each request is a line on stderr"),
  ...general
}

type Flags = Values<typeof options>

const prefix = "MESSAGING_TOPUP_SANDBOX_"

const variables = {
  prefix,
  known: Struct.keys(options).map((name) => variableOf(prefix, name))
}

const outcomes = forcedOutcomes.map(
  ({ accepted, response, suffix }) =>
    `  ${suffix}    ${accepted ? "yes" : "no "}           ${response}`
)

const appendix = `Every option is also a variable: --host is ${variableOf(prefix, "host")}.

The end of a number +1555…, a message id or a reference code forces a response:

  Suffix  SMS accepted  Response
${outcomes.join("\n")}

Any other recipient is accepted. Sample records: ${[...Seeds.airtime.keys(), ...Seeds.dataBundles.keys()].join(", ")},
and ${Seeds.bundles.length} data bundles.`

/**
 * The address comes last, because it is what the reader needs next. No variable names a journal for trials: in the same
 * terminal, a real run would keep what it sent there, and the next one would send it again.
 */
const startText = (baseUrl: string, token: string, needsToken: boolean): string => `\
A sandbox of the Messaging and Top-up Service. Nothing is ever sent.
The number +15550000402 is refused with 402: --help lists all such numbers.
Give trials a journal of their own: what they send counts as sent in it.
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

const log = (stderr: Writable, asJson: boolean) => (request: StoredRequest) => {
  if (stderr.writableLength < maxWaitingBytes) stderr.write(`${logLine(request, asJson)}\n`)
}

const serve = Effect.fnUntraced(function* ({
  help: _help,
  json,
  quiet,
  version: _version,
  ...given
}: Flags) {
  const { host } = given
  const isLocal = isLoopbackHost(host)
  const { stderr, stop } = yield* Invocation
  const sandbox = yield* onServer(given, quiet ? undefined : log(stderr, json))
  if (!isLocal) {
    const warning = `Warning: ${host} is reachable from other machines over plain http. Use it only in a network you trust.`
    yield* note(json ? JSON.stringify({ warning }) : warning)
  }
  const { baseUrl } = sandbox
  const accepted = Redacted.value(sandbox.token)
  yield* print(
    json
      ? JSON.stringify({ base_url: baseUrl, token: accepted })
      : startText(baseUrl, accepted, !isLocal).trimEnd()
  )
  yield* stop
  return exitCodes.done
}, Effect.scoped)

/** Unread lines on stderr would keep the process running. */
const leaveUnread = (code: number) =>
  Effect.sync(() => {
    if (process.stderr.writableLength > 0) process.exit(code)
  })

export const command = commandOf<Flags>({
  usage: "[options]",
  details: `Nothing is ever sent.
The inbox is at /, and the control endpoints are at /_sandbox/. /openapi.json describes
all endpoints.`,
  appendix,
  options,
  variables,
  run: (flags) => Effect.tap(serve(flags), leaveUnread)
})
