/**
 * An SMS in the state, and its form in the control endpoints.
 */
import { SmsText } from "@messaging-topup/core"
import * as DateTime from "effect/DateTime"
import type { MessageFilter, StoredMessage } from "./Stored.ts"
import type { SendSmsRequest } from "@messaging-topup/core"

interface AcceptedSms extends SendSmsRequest {
  readonly message_id: string
}

export interface Message {
  readonly sms: AcceptedSms
  readonly acceptedAt: DateTime.Utc
  /** The name of the fault or the suffix of the forced outcome that its request got. */
  readonly fault: string | undefined
  status: string
  /** Whether the status was set. If so, reads do not change it. */
  isSet: boolean
  /** Computed on first use. */
  preview: SmsText.SmsPreview | undefined
}

export const dateCreated = ({ acceptedAt }: Message): string => DateTime.formatIso(acceptedAt)

export const stored = (message: Message): StoredMessage => {
  message.preview ??= SmsText.preview(message.sms.message)
  const { fault, sms } = message
  const { scheduled_time, sender_id, webhook_url } = sms
  return {
    message_id: sms.message_id,
    recipient: sms.recipient,
    message: sms.message,
    ...(sender_id === undefined ? {} : { sender_id }),
    ...(webhook_url === undefined ? {} : { webhook_url }),
    ...(scheduled_time === undefined ? {} : { scheduled_time }),
    ...(fault === undefined ? {} : { fault }),
    status: message.status,
    date_created: dateCreated(message),
    preview: message.preview
  }
}

/** Estimates the memory that an SMS takes. */
export const bytesOf = (sms: AcceptedSms): number =>
  Object.values(sms).reduce((bytes, text) => bytes + 2 * (text?.length ?? 0), 500)

const contains = (wanted: string | undefined) => {
  const lower = wanted?.toLowerCase() ?? ""
  return (text: string) => lower === "" || text.toLowerCase().includes(lower)
}

/** In a query, a plus that is not written as %2B arrives as a space. */
const containsInQuery = (wanted: string | undefined) => {
  const matches = contains(wanted)
  return (text: string) => matches(text) || matches(text.replaceAll("+", " "))
}

export const matching = ({ recipient, since, text, until }: MessageFilter) => {
  const isRecipient = containsInQuery(recipient)
  const isText = contains(text)
  const from = since === undefined ? -Infinity : Date.parse(since)
  const to = until === undefined ? Infinity : Date.parse(until)
  return ({ acceptedAt, sms }: Message): boolean =>
    acceptedAt.epochMilliseconds >= from &&
    acceptedAt.epochMilliseconds < to &&
    isRecipient(sms.recipient) &&
    isText(sms.message)
}
