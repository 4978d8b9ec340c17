/** Runs the assistant, the quickstart and a campaign on a sandbox, or the quickstart on the user's service. */
import { layerConfig, MessagingTopup, type Transport } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { env } from "node:process"
import { assistant } from "./assistant.ts"
import { campaignSession } from "./campaign-session.ts"
import { type Plan, quickstart, threeFailures } from "./quickstart.ts"
import type { SandboxProcess } from "./sandbox-process.ts"
import { ask, bad, canAsk, exitWith, heading, line, Stopped } from "./terminal.ts"

const message = "Your code is 4711. Do not share it."

const Started = Schema.fromJsonString(
  Schema.Struct({ baseUrl: Schema.String, token: Schema.String })
)

class SandboxEnded extends Data.TaggedError("SandboxEnded") {
  override readonly message = "The sandbox ended before it was ready"
}

const onTheSandbox = (sandbox: SandboxProcess, stay: boolean) =>
  Effect.gen(function* () {
    const json = yield* Effect.promise(() => sandbox.started)
    if (json === undefined) return yield* new SandboxEnded()
    const { baseUrl, token } = yield* Schema.decodeEffect(Started)(json)
    const request = { recipient: "+15550100123", message, sender_id: "ACME" }
    yield* Console.log(`The sandbox listens on ${baseUrl}; nothing is really sent.`)
    if (stay) yield* Console.log(`Watch in a browser: its inbox is at ${baseUrl}`)
    const settings = { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token }
    // In memory, because the sends of a demo do not belong in the user's file.
    yield* assistant(["--state", "memory"], settings)
    yield* Effect.gen(function* () {
      yield* quickstart({
        request,
        confirm: Effect.succeed(true),
        finalStatus: "SANDBOX_DELIVERED",
        askAgainAfter: "20 millis",
        airtimeReference: "AIR-1001",
        dataBundleReference: "DATA-2001"
      })
      yield* threeFailures(baseUrl, request)
    }).pipe(Effect.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make(token) })))
    yield* campaignSession(baseUrl, settings)
    yield* heading("Next")
    yield* line("sandbox", "npx -y pnpm@12 sandbox, for programs in any language")
    yield* line("assistant", "docs/hosts.md has the block for your host")
    yield* line("program", "docs/first-message.md, with Effect or without")
    if (stay) {
      yield* Console.log(`\nThe inbox stays open at ${baseUrl}. Stop with Ctrl+C.`)
      return yield* Effect.never
    }
  }).pipe(Effect.ensuring(Effect.sync(sandbox.stop)))

// Every question comes before the send, so nothing is sent if the user stops at one.
const askForThePlan = Effect.gen(function* () {
  const address = env["MESSAGING_TOPUP_BASE_URL"] ?? ""
  const recipient = yield* ask("Send a text to which number? (empty: to nobody)")
  const toNobody = recipient === ""
  return {
    request: toNobody ? undefined : { recipient, message },
    confirm: Effect.map(ask(`Send it for real, over ${address}? (yes or no)`), (answer) =>
      /^(y|yes|send)$/i.test(answer)
    ),
    finalStatus: toNobody
      ? ""
      : yield* ask("Which status is final for your account? (empty: do not wait)"),
    askAgainAfter: "1 second",
    airtimeReference: yield* ask("Reference code of an airtime purchase? (empty: none)"),
    dataBundleReference: yield* ask("Reference code of a data bundle purchase? (empty: none)")
  } satisfies Plan<Stopped>
})

const planForNobody = Effect.as(
  Console.log("There is no terminal, so nobody can be asked and nothing will be sent."),
  {
    request: undefined,
    confirm: Effect.succeed(false),
    finalStatus: "",
    askAgainAfter: "1 second",
    airtimeReference: "",
    dataBundleReference: ""
  } satisfies Plan<never>
)

const onTheService = Effect.gen(function* () {
  const plan: Plan<Stopped> = yield* (yield* canAsk) ? askForThePlan : planForNobody
  yield* quickstart(plan)
}).pipe(Effect.provide(layerConfig))

const failed = (error: Error) =>
  error instanceof Stopped
    ? Effect.andThen(Console.error("\nstopped; nothing was sent"), exitWith(130))
    : Effect.andThen(Console.error(bad(error.message)), exitWith(1))

/** Uses the given sandbox, or the service of the environment. It never fails, but prints the error. */
export const mainJob = (
  sandbox: SandboxProcess | undefined,
  stay: boolean
): Effect.Effect<void> => {
  const job: Effect.Effect<void, Error, Transport> =
    sandbox === undefined ? onTheService : onTheSandbox(sandbox, stay)
  return job.pipe(Effect.provide(NodeTransport.layer), Effect.catch(failed))
}
