/**
 * The options of the command.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parseArgs } from "node:util"

export const usage = `Usage: messaging-topup-sandbox [options]

Starts a mock server of the Messaging and Top-up Service. Nothing is ever sent.

  --port <number>   Port to listen on; 0 takes a free one (default: 8080)
  --host <host>     Host to listen on (default: 127.0.0.1)
  --token <token>   Access token to accept (default: a random one)
  --json            Print one line {"baseUrl":…,"token":…} and nothing else
  --help            Print this
  --version         Print the version
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
  json: { type: "boolean" },
  help: { type: "boolean" },
  version: { type: "boolean" }
} as const

const toPort = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65535
    ? Effect.succeed(Number(text))
    : Effect.fail(new BadOption({ problem: "--port takes a number from 0 to 65535" }))

/** What an Authorization header can carry. */
const toToken = (text: string) =>
  /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeed(Redacted.make(text))
    : Effect.fail(new BadOption({ problem: "--token takes visible ASCII characters only" }))

const toHost = (text: string) =>
  text === ""
    ? Effect.fail(new BadOption({ problem: "--host takes a host name or an address" }))
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
    sandbox: {
      port: yield* toPort(values.port ?? "8080"),
      host: yield* toHost(values.host ?? "127.0.0.1"),
      ...(values.token === undefined ? {} : { token: yield* toToken(values.token) })
    }
  } as const
})
