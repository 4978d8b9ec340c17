/**
 * The messages that the sandbox accepted.
 */
import type { SendResult, SendSmsRequest, SmsStatusRecord } from "@messaging-topup/core"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { AcceptedSms } from "../Recorded.ts"

// The real values are not documented: the prefix keeps anyone from taking these for them.
type Step = "SANDBOX_QUEUED" | "SANDBOX_SENT" | "SANDBOX_DELIVERED"

const firstStep: Step = "SANDBOX_QUEUED"

const nextStep: Readonly<Record<Step, Step>> = {
  SANDBOX_QUEUED: "SANDBOX_SENT",
  SANDBOX_SENT: "SANDBOX_DELIVERED",
  SANDBOX_DELIVERED: "SANDBOX_DELIVERED"
}

interface Message {
  readonly sms: AcceptedSms
  readonly dateCreated: string
  status: Step
}

const defaultSenderId = "SANDBOX"

const randomLetters = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    String.fromCharCode(97 + (byte % 26))
  ).join("")

const statusRecord = ({ dateCreated, sms, status }: Message): SmsStatusRecord => ({
  recipient: sms.recipient,
  message_id: sms.message_id,
  status,
  date_created: dateCreated,
  sender_id: sms.sender_id ?? defaultSenderId
})

export class State extends Context.Service<
  State,
  {
    readonly accept: (request: SendSmsRequest) => Effect.Effect<SendResult>
    readonly accepted: Effect.Effect<ReadonlyArray<AcceptedSms>>
    /** Advances the message by one step. */
    readonly read: (messageId: string) => Effect.Effect<SmsStatusRecord | undefined>
    readonly reset: Effect.Effect<void>
  }
>()("@messaging-topup/sandbox/internal/State") {}

export const make = Effect.sync(() => {
  const messages = new Map<string, Message>()
  // Sandboxes differ in it. It ends the ids, so that none ever ends in the suffix of a forced outcome.
  const letters = randomLetters()
  let lastNumber = 0

  return State.of({
    accept: Effect.fnUntraced(function* (request) {
      const dateCreated = DateTime.formatIso(yield* DateTime.now)
      lastNumber++
      const message_id = `sbx-${lastNumber}-${letters}`
      messages.set(message_id, { sms: { ...request, message_id }, dateCreated, status: firstStep })
      return { recipient: request.recipient, message_id, status: firstStep }
    }),
    accepted: Effect.sync(() => Array.from(messages.values(), (message) => message.sms)),
    read: (messageId) =>
      Effect.sync(() => {
        const message = messages.get(messageId)
        if (message === undefined) return undefined
        message.status = nextStep[message.status]
        return statusRecord(message)
      }),
    reset: Effect.sync(() => messages.clear())
  })
})
