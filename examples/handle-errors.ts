import {
  isSafeToResend,
  layerConfig,
  MessagingTopup,
  sendOutcome,
  type SendSmsError,
  type SendSmsRequest
} from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import process, { argv } from "node:process"

/** What the shell learns: 3 must not be repeated without a person. */
const exitCodes = { sent: 0, "not-sent": 1, unknown: 3 }

/** What to do about the SMS. No status says that: the error knows whether the SMS went out. */
const nextStep = (error: SendSmsError) => {
  if (isSafeToResend(error)) return "send again later"
  const otherwise = {
    sent: "do not send again",
    "not-sent": "correct the cause, then send again",
    unknown: "ask the recipient before sending again"
  }
  return otherwise[sendOutcome(error)]
}

/** Sends, and returns a text for a person: for the success and for each error, as the type says. */
const send = Effect.fn("send")(function* (
  request: SendSmsRequest
): Effect.fn.Return<string, never, MessagingTopup> {
  const service = yield* MessagingTopup
  return yield* service.sendSms(request).pipe(
    Effect.tapError((error) => {
      const outcome = sendOutcome(error)
      process.exitCode = exitCodes[outcome]
      return Console.log(`${outcome}: ${nextStep(error)}`)
    }),
    Effect.map(({ data }) => `accepted as ${data.map(({ message_id }) => message_id).join(", ")}`),
    Effect.catchTags({
      InvalidInput: ({ field, problem }) => Effect.succeed(`wrong ${field}: ${problem}`),
      InvalidRequest: ({ error }) =>
        Effect.succeed(`refused: ${error.detail ?? "no reason given"}`),
      AuthenticationFailed: () => Effect.succeed("the access token is not accepted"),
      PaymentRequired: () => Effect.succeed("the account is not paid"),
      InsufficientPermissions: () => Effect.succeed("this token may not send"),
      NotFound: ({ error }) => Effect.succeed(`not found: ${error.detail ?? "no reason given"}`),
      InternalServerError: () => Effect.succeed("the service failed"),
      ConnectionFailed: ({ code }) => Effect.succeed(`the service is out of reach (${code})`),
      ConnectionLost: ({ code }) => Effect.succeed(`the connection broke (${code})`),
      RequestTimedOut: ({ timeoutMillis }) =>
        Effect.succeed(`no whole response within ${timeoutMillis} ms`),
      UndocumentedStatus: ({ retryAfterSeconds, status }) =>
        Effect.succeed(
          retryAfterSeconds === undefined
            ? `HTTP ${status}`
            : `HTTP ${status}, which asks to wait ${retryAfterSeconds} s`
        ),
      InvalidResponse: ({ body, isAccepted, problem, status }) =>
        Effect.succeed(
          isAccepted === true
            ? `the id may be in the response: ${body}`
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
