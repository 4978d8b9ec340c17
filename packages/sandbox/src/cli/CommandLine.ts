/**
 * The options of the command.
 */
import * as Effect from "effect/Effect"
import {
  count,
  general,
  helpOf,
  on,
  read,
  text,
  UsageError,
  withDefault
} from "../command-line/index.ts"
import { defaults } from "../server/RunSandbox.ts"

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
    "Access token to accept. The log and the inbox do not hide a token of fewer than 16 characters"
  ),
  maxMessages: count("number", kept(defaults.maxMessages), "Number of newest messages to keep"),
  maxRequests: count("number", kept(defaults.maxRequests), "Number of newest requests to keep"),
  json: on('Prints one line {"baseUrl":…,"token":…}, and the log as JSON lines'),
  quiet: on("Prints no log: by default, each request is a line on stderr"),
  outcomes: on("Prints the numbers, ids and reference codes that force a response, and ends"),
  ...general
}

export const usage = `Usage: messaging-topup-sandbox [options]

Starts a mock server of the Messaging and Top-up Service. Nothing is ever sent.
The inbox is at /, and the control endpoints are at /_sandbox/. /openapi.json describes
all endpoints.

${helpOf(options)}
`

export const parse = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const request = yield* read(options, args)
  if (request._tag !== "Run") return request
  const { host, json, maxMessages, maxRequests, outcomes, port, quiet, token } = request.values
  if (outcomes) return { _tag: "Outcomes" } as const
  const sandbox = { host, maxMessages, maxRequests, port, token }
  if (sandbox.host === "") {
    return yield* new UsageError({ problem: "--host: give a host name or an address" })
  }
  // The characters that an Authorization header allows.
  if (!/^[\x21-\x7e]*$/.test(sandbox.token ?? "")) {
    return yield* new UsageError({ problem: "--token: give visible ASCII characters only" })
  }
  return { _tag: "Start", json, quiet, sandbox } as const
})
