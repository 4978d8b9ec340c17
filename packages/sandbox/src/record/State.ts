/**
 * The messages that the sandbox accepted.
 */
import type { SendResult, SendSmsRequest, SmsStatusRecord } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Arrivals } from "./Arrivals.ts"
import { type Limits, type PageQuery, RecentEntries } from "./RecentEntries.ts"
import type { MessagePage } from "./Schemas.ts"
import type { MessageFilter, StoredMessage } from "./Stored.ts"
import { bytesOf, dateCreated, matching, type Message, stored } from "./Message.ts"
import { UnknownMessage } from "./UnknownMessage.ts"

// The service does not document its statuses. The prefix shows that these are made up.
const firstStep = "SANDBOX_QUEUED"

const nextStep = new Map([
  ["SANDBOX_QUEUED", "SANDBOX_SENT"],
  ["SANDBOX_SENT", "SANDBOX_DELIVERED"]
])

const defaultSenderId = "SANDBOX"

const randomLetters = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    String.fromCharCode(97 + (byte % 26))
  ).join("")

const statusRecord = (message: Message): SmsStatusRecord => ({
  recipient: message.sms.recipient,
  message_id: message.sms.message_id,
  status: message.status,
  date_created: dateCreated(message),
  sender_id: message.sms.sender_id ?? defaultSenderId
})

interface WaitingQuery extends MessageFilter, PageQuery {
  /** If no message matches yet, waits for the next one, at most this long. */
  readonly wait_seconds?: number
}

export interface State {
  /** `fault` is what its request got, if anything. */
  readonly accept: (request: SendSmsRequest, fault?: string) => Effect.Effect<SendResult>
  /** Newest first. */
  readonly messages: (filter: MessageFilter) => Effect.Effect<ReadonlyArray<StoredMessage>>
  readonly page: (query: WaitingQuery) => Effect.Effect<typeof MessagePage.Type>
  readonly get: (messageId: string) => Effect.Effect<StoredMessage, UnknownMessage>
  /** Advances the message by one step, unless its status was set. */
  readonly read: (messageId: string) => Effect.Effect<SmsStatusRecord, UnknownMessage>
  readonly setStatus: (
    messageId: string,
    status: string
  ) => Effect.Effect<StoredMessage, UnknownMessage>
  readonly clear: Effect.Effect<void>
}

export const make = (limits: Limits, arrivals: Arrivals, onChange: (message: Message) => void) =>
  Effect.sync(() => {
    const messages = new RecentEntries<Message>(limits)
    // Each sandbox has its own letters. They end the ids, so that no id ends in a forced suffix.
    const letters = randomLetters()

    const find = (messageId: string) =>
      Effect.suspend(() => {
        const message = messages.get(Number(messageId.split("-")[1]))
        return message?.sms.message_id === messageId
          ? Effect.succeed(message)
          : Effect.fail(new UnknownMessage({ message_id: messageId }))
      })

    const pageOf = (query: WaitingQuery) => {
      const { entries, next } = messages.page(query, matching(query))
      return {
        messages: entries.map(stored),
        ...next,
        kept: messages.size,
        accepted: messages.total
      }
    }

    const untilOneMatches = (query: WaitingQuery): Effect.Effect<void> =>
      Effect.suspend(() =>
        messages.page({ ...query, limit: 1 }, matching(query)).entries.length > 0
          ? Effect.void
          : Effect.andThen(arrivals.next, untilOneMatches(query))
      )

    const state: State = {
      accept: Effect.fnUntraced(function* (request, fault) {
        const acceptedAt = yield* DateTime.now
        const sms = { ...request, message_id: `sbx-${messages.nextNumber}-${letters}` }
        const status = firstStep
        const message = { sms, acceptedAt, fault, status, isSet: false, preview: undefined }
        messages.add(message, bytesOf(sms))
        onChange(message)
        arrivals.wake()
        return { recipient: sms.recipient, message_id: sms.message_id, status: firstStep }
      }),
      messages: (filter) =>
        Effect.sync(() => messages.all().filter(matching(filter)).toReversed().map(stored)),
      page: ({ wait_seconds = 0, ...query }) =>
        Effect.andThen(
          wait_seconds === 0
            ? Effect.void
            : Effect.timeoutOption(untilOneMatches(query), Duration.seconds(wait_seconds)),
          Effect.sync(() => pageOf(query))
        ),
      get: (messageId) => Effect.map(find(messageId), stored),
      read: (messageId) =>
        Effect.map(find(messageId), (message) => {
          const next = message.isSet ? undefined : nextStep.get(message.status)
          if (next !== undefined) {
            message.status = next
            onChange(message)
            arrivals.wake()
          }
          return statusRecord(message)
        }),
      setStatus: (messageId, status) =>
        Effect.map(find(messageId), (message) => {
          message.status = status
          message.isSet = true
          onChange(message)
          arrivals.wake()
          return stored(message)
        }),
      clear: Effect.sync(() => messages.clear())
    }
    return state
  })
