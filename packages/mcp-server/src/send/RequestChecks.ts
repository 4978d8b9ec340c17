/**
 * The guards that look at one SMS alone: its recipient, sender, address for updates and segments.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import * as Recipient from "./Recipient.ts"
import type { Refusal } from "./Refusal.ts"
import {
  recipientNotAllowed,
  recipientUnclear,
  senderNotAllowed,
  tooManyRecipients,
  tooManySegments,
  webhookNotAllowed
} from "./RequestRefusals.ts"
import type { Rules } from "./Rules.ts"

const problemOfRecipient = (
  { allowLists: { option } }: Rules,
  given: string,
  recipient: string | undefined
): Refusal | undefined => {
  if (recipient === undefined) return recipientNotAllowed(option)
  const numbers = Recipient.numbersIn(given)
  if (numbers.length === 0 || !numbers.every(Recipient.isClear)) return recipientUnclear
  return numbers.length > 1 ? tooManyRecipients(numbers.length) : undefined
}

const problemOfSender = ({ senderIds }: Rules, senderId: string | undefined) =>
  senderId === undefined || senderIds === undefined || senderIds.includes(senderId)
    ? undefined
    : senderNotAllowed

/** A URL whose host every parser reads alike: others differ at backslashes, blanks and user names. */
const clearUrl = /^https?:\/\/([a-z0-9.-]+)(?::\d+)?(?:[/?#][^\s\\]*)?$/i

/** The address gets the texts and numbers of status updates, so it is a way out for data. */
const problemOfWebhook = ({ webhookHosts }: Rules, url: string | undefined) => {
  if (url === undefined) return undefined
  const [, host = ""] = clearUrl.exec(url) ?? []
  return webhookHosts.includes(host.toLowerCase()) ? undefined : webhookNotAllowed
}

const problemOfText = ({ maximums }: Rules, message: string) => {
  const maximum = maximums["max-segments"]
  const { segments } = SmsText.preview(message)
  return segments > maximum.value ? tooManySegments(segments, maximum) : undefined
}

/** Returns the request with the recipient in the form that is shown and sent. */
export const check = (
  rules: Rules,
  request: SendSmsRequest
): Effect.Effect<SendSmsRequest, Refusal> => {
  const lists = rules.allowLists.value
  const recipient =
    lists.length === 0
      ? Recipient.sendable(request.recipient)
      : Recipient.allowed(lists, request.recipient)
  const problem =
    problemOfRecipient(rules, request.recipient, recipient) ??
    problemOfSender(rules, request.sender_id) ??
    problemOfWebhook(rules, request.webhook_url) ??
    problemOfText(rules, request.message)
  if (problem !== undefined) return Effect.fail(problem)
  return Effect.succeed({ ...request, recipient: recipient ?? request.recipient })
}
