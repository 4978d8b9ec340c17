/** The messages that the sandbox accepted. */
import { type SendResult, type Schemas, type SmsStatusRecord, SmsText } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { MessageFilter, StoredMessage } from "../Types.ts"
import type { Changes } from "./Changes.ts"
import { Newest, type PageQuery } from "./Newest.ts"

/** No message has this id: it was never assigned, or its message was deleted to keep newer ones. */
export class UnknownMessage extends Data.TaggedError("UnknownMessage")<{
  readonly message_id: string
}> {
  override get message(): string {
    return "The sandbox has no message with this id: it was cleared, or newer messages replaced it"
  }
}

/** The service does not document its statuses. The prefix shows that these are made up. */
export const statuses = ["SANDBOX_QUEUED", "SANDBOX_SENT", "SANDBOX_DELIVERED"] as const

const defaultSenderId = "SANDBOX"

const randomLetters = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    String.fromCharCode(97 + (byte % 26))
  ).join("")

const statusRecord = ({
  date_created,
  message_id,
  recipient,
  sender_id = defaultSenderId,
  status
}: StoredMessage): SmsStatusRecord => ({ recipient, message_id, status, date_created, sender_id })

const contains = (text: string, wanted: string): boolean =>
  text.toLowerCase().includes(wanted.toLowerCase())

/** White space, and characters that people put between the digits of a number. */
const separators = /[\s().\-\u2010-\u2015]/gu

/** Returns the text in which an end is looked for: `+15550000402` for `+1 (555) 000-0402`. */
export const withoutSeparators = (recipient: string): string => recipient.replace(separators, "")

/**
 * Also without the separators. In a query, a plus that is not written as %2B arrives as a space, which is
 * one of them.
 */
const isTo = ({ recipient }: StoredMessage, party: string): boolean =>
  contains(recipient, party) || contains(withoutSeparators(recipient), withoutSeparators(party))

/** Selects the messages that match both filters. */
export const matching =
  ({ recipient = "", text = "" }: MessageFilter) =>
  (message: StoredMessage): boolean =>
    contains(message.message, text) && isTo(message, recipient)

/** Selects the messages that have the text anywhere, as the page searches. */
export const having =
  (search: string) =>
  (message: StoredMessage): boolean =>
    contains(message.message, search) ||
    isTo(message, search) ||
    contains(message.message_id, search)

const numberOf = (messageId: string): number => Number(messageId.split("-")[1])

export type Messages = ReturnType<typeof make>

/** `onStatus` gets each message whose status has changed. */
export const make = (
  maximum: number,
  changes: Changes,
  onStatus: (message: StoredMessage) => void
) => {
  const messages = new Newest<StoredMessage>(maximum)
  /** The messages whose status was set: reads do not change it. */
  const fixed = new WeakSet<StoredMessage>()
  // Each sandbox has its own letters. They end the ids, so that no id ends in a forced suffix.
  const letters = randomLetters()

  const get = (messageId: string): StoredMessage | undefined => {
    const message = messages.get(numberOf(messageId))
    return message?.message_id === messageId ? message : undefined
  }

  const found = (messageId: string) =>
    Effect.suspend(() => {
      const message = get(messageId)
      return message === undefined
        ? Effect.fail(new UnknownMessage({ message_id: messageId }))
        : Effect.succeed(message)
    })

  const withStatus = (message: StoredMessage, status: string): StoredMessage => {
    const changed = { ...message, status }
    messages.replace(numberOf(message.message_id), changed)
    changes.bump()
    onStatus(changed)
    return changed
  }

  return {
    /** `faulted` is the fault that its request got, if any. */
    accept: Effect.fnUntraced(function* (
      request: typeof Schemas.SendSmsRequest.Type,
      faulted: Pick<StoredMessage, "fault" | "forced">
    ) {
      const message_id = `sbx-${messages.nextNumber}-${letters}`
      const [status] = statuses
      messages.add({
        message_id,
        ...request,
        ...faulted,
        status,
        date_created: DateTime.formatIso(yield* DateTime.now),
        preview: SmsText.preview(request.message)
      })
      changes.bump()
      const result: SendResult = { recipient: request.recipient, message_id, status }
      return result
    }),
    get,
    /** Newest first. */
    all: () => messages.all(),
    /** Newest first. */
    list: (filter: MessageFilter) => messages.all().filter(matching(filter)),
    page: (query: PageQuery, matches: (message: StoredMessage) => boolean) => {
      const { entries, next } = messages.page(query, matches)
      const { kept, total } = messages.counts
      return { messages: entries, ...next, kept, accepted: total }
    },
    /** Whether a kept message is to this number, however it is written. */
    isRecipient: (recipient: string): boolean => {
      const wanted = Phone.sameForm(recipient)
      return messages.all().some((each) => Phone.sameForm(each.recipient) === wanted)
    },
    record: (messageId: string) => Effect.map(found(messageId), statusRecord),
    /** Advances the message by one step, unless its status was set. */
    read: (messageId: string) =>
      Effect.map(found(messageId), (message) => {
        const step = statuses.findIndex((status) => status === message.status)
        const status = step < 0 || fixed.has(message) ? undefined : statuses[step + 1]
        return statusRecord(status === undefined ? message : withStatus(message, status))
      }),
    setStatus: (messageId: string, status: string) =>
      Effect.map(found(messageId), (message) => {
        const changed = withStatus(message, status)
        fixed.add(changed)
        return changed
      }),
    /** How many are kept, and how many there were. */
    counts: () => messages.counts,
    clear: () => messages.clear()
  }
}
