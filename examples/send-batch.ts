import {
  layerConfig,
  MessagingTopup,
  sendOutcome,
  type SendOutcome,
  type SendSmsError,
  type SendSmsRequest,
  type SendSmsResponse
} from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Console from "effect/Console"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import process, { argv } from "node:process"

/**
 * Sends all requests, eight at a time, and returns the outcome of each.
 *
 * A row that fails must not interrupt the others, so each row keeps its exit. If the batch is interrupted
 * or its time is up, rows that have started end normally, and no other row starts.
 */
export const sendBatch = Effect.fn("sendBatch")(function* (
  requests: ReadonlyArray<SendSmsRequest>,
  within: Duration.Input
) {
  const { sendSms } = yield* MessagingTopup
  // By index, because the same request can be in the list twice.
  const exits = new Map<number, Exit.Exit<SendSmsResponse, SendSmsError>>()
  const row = (request: SendSmsRequest, index: number) =>
    Effect.exit(sendSms(request)).pipe(
      Effect.map((exit) => exits.set(index, exit)),
      Effect.uninterruptible
    )
  yield* Effect.forEach(requests, row, { concurrency: 8, discard: true }).pipe(
    Effect.timeoutOption(within)
  )
  return requests.map((request, index) => {
    const exit = exits.get(index)
    return { request, outcome: exit === undefined ? "not-sent" : sendOutcome(exit) } as const
  })
})

/** What the shell learns: after 3, some SMS went out or may have, so the batch must not run again. */
const exitCodeOf = (outcomes: ReadonlyArray<SendOutcome>) => {
  if (outcomes.every((outcome) => outcome === "sent")) return 0
  return outcomes.every((outcome) => outcome === "not-sent") ? 1 : 3
}

if (import.meta.main) {
  const [, , ...recipients] = argv
  // A list of numbers that is missing is no batch that went out.
  if (recipients.length === 0) {
    console.error("give the numbers: node send-batch.ts +15551234567 +15551234568")
    process.exit(1)
  }
  const requests = recipients.map((recipient) => ({ recipient, message: "Your code is 4711" }))
  await sendBatch(requests, "10 minutes").pipe(
    Effect.tap(Effect.forEach(({ outcome, request }) => Console.log(request.recipient, outcome))),
    Effect.map((rows) => {
      process.exitCode = exitCodeOf(rows.map(({ outcome }) => outcome))
    }),
    Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
    // A setting is wrong: nothing was sent.
    Effect.catch((error) => {
      process.exitCode = 1
      return Console.error(error.message)
    }),
    Effect.runPromise
  )
}
