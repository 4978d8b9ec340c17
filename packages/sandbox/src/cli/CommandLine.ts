/**
 * The options of the command.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"
import { randomToken } from "../server/RandomToken.ts"
import { defaults } from "../server/RunSandbox.ts"

const defaultPort = 8080

export const usage = `Usage: messaging-topup-sandbox [options]

Starts a mock server of the Messaging and Top-up Service. Nothing is ever sent.
The inbox is at /, and the control endpoints are at /_sandbox/. /openapi.json describes
all endpoints.

  --port <number>          Port to listen on; 0 picks a free one (default: ${defaultPort})
  --host <host>            Host to listen on (default: ${defaults.host})
  --token <token>          Access token to accept (default: a random one). The log and the
                           inbox do not hide a token of fewer than 16 characters
  --max-messages <number>  Number of newest messages to keep (default: ${defaults.maxMessages})
  --max-requests <number>  Number of newest requests to keep (default: ${defaults.maxRequests})
  --json                   Print one line {"baseUrl":…,"token":…}, and the log as JSON lines
  --quiet                  No log: by default, each request is a line on stderr
  --help                   Print this text
  --version                Print the version
`

class BadOption extends Data.TaggedError("BadOption")<{ readonly problem: string }> {
  override get message(): string {
    return `${this.problem}\nSee messaging-topup-sandbox --help`
  }
}

const definitions = {
  port: { type: "string" },
  host: { type: "string" },
  token: { type: "string" },
  "max-messages": { type: "string" },
  "max-requests": { type: "string" },
  json: { type: "boolean" },
  quiet: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" }
} as const

const toPort = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Effect.succeed(Number(text))
    : Effect.fail(new BadOption({ problem: "--port must be a number from 0 to 65535" }))

const toCount = (option: string, text: string) =>
  /^[1-9]\d{0,8}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new BadOption({ problem: `--${option} must be a whole number of at least 1` }))

/** Allows the characters that an Authorization header allows. */
const toToken = (text: string) =>
  /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeed(Redacted.make(text))
    : Effect.fail(new BadOption({ problem: "--token must have visible ASCII characters only" }))

const toHost = (text: string) =>
  text === ""
    ? Effect.fail(new BadOption({ problem: "--host must be a host name or an address" }))
    : Effect.succeed(text)

export const parse = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { values } = yield* Effect.try({
    try: () => parseArgs({ args: [...args], options: definitions }),
    catch: (error) =>
      new BadOption({ problem: error instanceof Error ? error.message : String(error) })
  })
  if (values.help === true) return { _tag: "Help" } as const
  if (values.version === true) return { _tag: "Version" } as const
  return {
    _tag: "Start",
    json: values.json === true,
    quiet: values.quiet === true,
    sandbox: {
      port: yield* toPort(values.port ?? String(defaultPort)),
      host: yield* toHost(values.host ?? defaults.host),
      token: values.token === undefined ? randomToken() : yield* toToken(values.token),
      maxMessages: yield* toCount(
        "max-messages",
        values["max-messages"] ?? String(defaults.maxMessages)
      ),
      maxRequests: yield* toCount(
        "max-requests",
        values["max-requests"] ?? String(defaults.maxRequests)
      )
    }
  } as const
})
