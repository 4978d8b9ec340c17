/**
 * `check-peers.ts` runs this in its own project, with the versions that are installed there. The sandbox runs
 * in this process, and each program of the docs in another one.
 */
import { endOfSend, MessagingTopup, MayStart, SmsText } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { execFile } from "node:child_process"
import process, { argv, env } from "node:process"
import { promisify } from "node:util"

const run = (program: string, baseUrl: string, token: string) =>
  Effect.promise(() =>
    promisify(execFile)(process.execPath, [program, "+15550100124"], {
      env: { ...env, MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token },
      timeout: 300_000
    })
  )

/** The outcome of a send whose request may not start, which undici has to respect. */
const vetoed = (baseUrl: string, token: Redacted.Redacted) =>
  Effect.flatMap(MessagingTopup, ({ sendSms }) =>
    endOfSend(sendSms({ recipient: "+15550100123", message: "vetoed" }))
  ).pipe(
    Effect.map(({ outcome }) => outcome),
    Effect.provideService(MayStart, () => false),
    Effect.provide(Layer.provide(MessagingTopup.layer({ baseUrl, token }), NodeTransport.layer))
  )

const main = Effect.gen(function* () {
  const { baseUrl, messages, token } = yield* Sandbox
  for (const program of argv.slice(2)) yield* run(program, baseUrl, Redacted.value(token))
  const outcome = yield* vetoed(baseUrl, token)
  const { segments } = SmsText.preview("Your code is 4711")
  const texts = (yield* messages()).map(({ message }) => message)
  return { segments, vetoed: outcome, texts: texts.toReversed() }
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(main, Sandbox.layer()))))
