import {
  layerConfig,
  MessagingTopup,
  sendOutcome,
  type SendSmsRequest
} from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process, { argv } from "node:process"

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

/** Sends, and returns a text for a person: for the success and for each error, as the type says. */
const send = Effect.fn("send")(function* (
  request: SendSmsRequest
): Effect.fn.Return<string, never, MessagingTopup> {
  const service = yield* MessagingTopup
  return yield* service.sendSms(request).pipe(
    Effect.tapError((error) => {
      const outcome = sendOutcome(error)
      process.exitCode = exitCodes[outcome]
      return Console.log(`outcome: ${outcome}`)
    }),
    Effect.map(({ data }) => `accepted as ${data.map(({ message_id }) => message_id).join(", ")}`),
    Effect.catchTags({
      InvalidInput: ({ field, problem }) => Effect.succeed(`correct ${field}: ${problem}`),
      InvalidRequest: ({ error }) =>
        Effect.succeed(`refused: ${error.detail ?? "no reason given"}`),
      AuthenticationFailed: () => Effect.succeed("check the access token"),
      PaymentRequired: () => Effect.succeed("settle the account, then send again"),
      InsufficientPermissions: () => Effect.succeed("this token may not send"),
      NotFound: ({ error }) => Effect.succeed(`not found: ${error.detail ?? "no reason given"}`),
      InternalServerError: () => Effect.succeed("ask the recipient before sending again"),
      ConnectionFailed: ({ code }) => Effect.succeed(`the service is out of reach (${code})`),
      ConnectionLost: ({ status }) =>
        Effect.succeed(status === 202 ? "accepted, id unknown" : "ask the recipient first"),
      RequestTimedOut: ({ started, status }) => {
        if (!started) return Effect.succeed("no connection before the time-out: send again")
        return Effect.succeed(status === 202 ? "accepted, id unknown" : "ask the recipient first")
      },
      UndocumentedStatus: ({ retryAfterSeconds, status }) =>
        Effect.succeed(
          status === 429
            ? `too many requests: wait ${retryAfterSeconds ?? "some"} s, then send again`
            : `HTTP ${status}: ask the recipient first`
        ),
      InvalidResponse: ({ body, isAccepted, problem, status }) =>
        Effect.succeed(
          isAccepted === true
            ? `accepted, and the response is ${body}`
            : `HTTP ${status}: ${problem}`
        )
    })
  )
})

const [, , recipient = "+15550100123"] = argv

await send({ recipient, message: "Your code is 4711" }).pipe(
  Effect.flatMap(Console.log),
  Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
  // A setting is wrong: nothing was sent.
  Effect.catch((error) => {
    process.exitCode = exitCodes["not-sent"]
    return Console.error(error.message)
  }),
  Effect.runPromise
)
