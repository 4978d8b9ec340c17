/**
 * Runs the quickstart: on a sandbox in a process of its own, or, where `MESSAGING_TOPUP_BASE_URL` and
 * `MESSAGING_TOPUP_TOKEN` are set, on that service. There it asks before it sends.
 */
import { MessagingTopup } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Redacted from "effect/Redacted"
import process, { env } from "node:process"
import { quickstart, threeFailures } from "./quickstart.ts"
import { sandboxProcess } from "./sandbox-process.ts"
import { ask, bad } from "./terminal.ts"

const message = "Your code is 4711. Do not share it."

const onTheSandbox = Effect.gen(function* () {
  const { baseUrl, token } = yield* sandboxProcess
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
}).pipe(Effect.scoped)

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

const hasService =
  env["MESSAGING_TOPUP_BASE_URL"] !== undefined && env["MESSAGING_TOPUP_TOKEN"] !== undefined

const demo: Effect.Effect<void, Error, HttpClient.HttpClient> = hasService
  ? onTheService
  : onTheSandbox

await demo.pipe(
  Effect.provide(NodeTransport.layer),
  Effect.catch((error) => {
    process.exitCode = 1
    return Console.error(bad(error.message))
  }),
  Effect.runPromise
)
