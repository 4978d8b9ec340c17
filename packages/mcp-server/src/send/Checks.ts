/**
 * The guards that look at one SMS alone: its recipient and its segments. And those that look at its rows
 * together.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import * as Result from "effect/Result"
import * as Recipient from "./Recipient.ts"
import type { Refusal } from "./Refusal.ts"
import {
  recipientNotAllowed,
  recipientUnclear,
  tooManyRecipients,
  tooManySegments
} from "./Refusals.ts"
import type { Rules } from "./Rules.ts"

const problemOfRecipient = (given: string): Refusal | undefined => {
  const numbers = Recipient.numbersIn(given)
  if (numbers.length === 0 || !numbers.every(Recipient.isClear)) return recipientUnclear
  return numbers.length > 1 ? tooManyRecipients(numbers.length) : undefined
}

/** An SMS that may be sent: its recipient has the form that is shown and sent. */
export interface Checked {
  readonly request: SendSmsRequest
  readonly segments: number
}

/** Checks requests one after the other. A text that is too long can be far too long, so it is read once. */
export const checker = ({ allowList, maxSegments, webhookUrl }: Rules) => {
  const segmentsOf = new Map<string, number>()
  return (given: SendSmsRequest): Result.Result<Checked, Refusal> => {
    const recipient =
      allowList === undefined
        ? Recipient.sendable(given.recipient)
        : Recipient.allowed(allowList, given.recipient)
    if (recipient === undefined) return Result.fail(recipientNotAllowed)
    const segments = segmentsOf.get(given.message) ?? SmsText.preview(given.message).segments
    segmentsOf.set(given.message, segments)
    const problem =
      problemOfRecipient(given.recipient) ??
      (segments > maxSegments ? tooManySegments(segments, maxSegments) : undefined)
    if (problem !== undefined) return Result.fail(problem)
    const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
    return Result.succeed({ request: { ...given, ...webhook, recipient }, segments })
  }
}
