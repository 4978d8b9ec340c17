/** The quickstart, on a sandbox or on a service of the user's. */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import process from "node:process"
import { quickstart, threeFailures } from "./quickstart.ts"
import type { SandboxProcess } from "./sandbox-process.ts"
import { ask, bad } from "./terminal.ts"

const message = "Your code is 4711. Do not share it."

const Started = Schema.fromJsonString(
  Schema.Struct({ baseUrl: Schema.String, token: Schema.String })
)

const onTheSandbox = (sandbox: SandboxProcess) =>
  Effect.gen(function* () {
    const line = yield* Effect.promise(() => sandbox.started)
    const { baseUrl, token } = yield* Schema.decodeEffect(Started)(line)
    const request = { recipient: "+15550100123", message, sender_id: "ACME" }
    yield* Console.log(`The sandbox answers at ${baseUrl}; nothing is really sent.`)
    yield* Effect.gen(function* () {
      yield* quickstart({
        request,
        confirm: Effect.succeed(true),
        finalStatus: "SANDBOX_DELIVERED",
        airtimeReference: "AIR-1001",
        dataBundleReference: "DATA-2001"
      })
      yield* threeFailures(baseUrl, request)
    }).pipe(Effect.provide(MessagingTopup.layer({ baseUrl, token: Redacted.make(token) })))
  }).pipe(Effect.ensuring(Effect.sync(sandbox.stop)))

const onTheService = Effect.gen(function* () {
  const recipient = yield* ask("Send a text to which number? (empty: to nobody)")
  yield* quickstart({
    request: { recipient, message },
    confirm:
      recipient === ""
        ? Effect.succeed(false)
        : Effect.map(ask('Send it for real? Type "send":'), (answer) => answer === "send"),
    finalStatus: yield* ask("Which status is final for your account?"),
    airtimeReference: yield* ask("Reference code of an airtime purchase? (empty: none)"),
    dataBundleReference: yield* ask("Reference code of a data bundle purchase? (empty: none)")
  })
}).pipe(Effect.provide(MessagingTopup.layerConfig))

const failed = (error: Error) =>
  Console.error(bad(error.message)).pipe(
    Effect.andThen(
      Effect.sync(() => {
        process.exitCode = 1
      })
    )
  )

/** On the sandbox that is given, or on the service of the environment. It never fails: it says why. */
export const mainJob = (sandbox: SandboxProcess | undefined): Effect.Effect<void> => {
  const job: Effect.Effect<void, Error, HttpClient.HttpClient> =
    sandbox === undefined ? onTheService : onTheSandbox(sandbox)
  return job.pipe(Effect.provide(NodeTransport.layer), Effect.catch(failed))
}
