/**
 * Checks all SMS of a call before anything is sent, each alone and then together, and finds what the journal
 * knows each of them by.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Identity, Rules } from "./Rules.ts"
import { allowed } from "../AllowList.ts"
import * as Recipient from "./Recipient.ts"
import type { Refusal } from "./Refusal.ts"
import {
  recipientNotAllowed,
  recipientUnclear,
  type RefusedRow,
  rowsRefused,
  sameAsRow,
  tooManyRows,
  tooManySegments
} from "./Refusals.ts"
import type { Journal } from "./Journal.ts"
import { normalized, withoutInvisible } from "./Text.ts"

/** An SMS that may be sent: its recipient has the form that is shown and sent. */
interface Checked {
  readonly request: SendSmsRequest
  readonly segments: number
}

/** Checks requests one after the other. A text that is too long can be far too long, so it is read once. */
export const checker = ({ allowList, maxSegments, webhookUrl }: Rules) => {
  const segmentsOf = new Map<string, number>()
  return (given: SendSmsRequest): Result.Result<Checked, Refusal> => {
    const [number, ...others] = Recipient.numbersIn(given.recipient)
    if (others.length > 0) return Result.fail(recipientUnclear)
    const recipient =
      allowList === undefined
        ? Recipient.sendable(given.recipient)
        : allowed(allowList, given.recipient)
    if (recipient === undefined) return Result.fail(recipientNotAllowed)
    const segments = segmentsOf.get(given.message) ?? SmsText.preview(given.message).segments
    segmentsOf.set(given.message, segments)
    if (number === undefined || !Recipient.isClear(number)) return Result.fail(recipientUnclear)
    if (segments > maxSegments) return Result.fail(tooManySegments(segments, maxSegments))
    const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
    return Result.succeed({ request: { ...given, ...webhook, recipient }, segments })
  }
}

/** Removes what a person cannot see, so that two texts that look the same are equal. */
const visibleText = (text: string): string =>
  normalized(
    withoutInvisible(text.replace(/[\s\u2800]+/gu, " "))
      .replace(/ {2,}/g, " ")
      .trim(),
    "NFC"
  )

/**
 * The fields that make two sends the same SMS. The journal makes a keyed digest of them, which stands for the
 * arguments of a send in claims and the log: without the key, nobody can find a phone number by trying all
 * numbers.
 */
export const partsOf = (
  service: string,
  caller: string,
  request: SendSmsRequest
): ReadonlyArray<string> => [
  "message",
  service,
  caller,
  Phone.wideForm(request.recipient),
  visibleText(request.message),
  visibleText(request.sender_id ?? ""),
  visibleText(request.scheduled_time ?? "")
]

/** An SMS that passed the checks. */
export interface PlannedSms extends Checked {
  /** Its place in the call, from 1. */
  readonly number: number
  readonly key: string
  /** The batch of which it is a row: the same call again has the same. */
  readonly batch?: string
}

/** One problem of one SMS is its refusal; those of several are said together. */
export const make = (rules: Rules, service: string, use: Journal["Service"]["use"]) =>
  Effect.fnUntraced(function* ({ id: caller }: Identity, requests: ReadonlyArray<SendSmsRequest>) {
    const total = requests.length
    if (total > rules.maxBatch) return yield* tooManyRows(total, rules.maxBatch)
    const check = checker(rules)
    const planned: Array<PlannedSms> = []
    const refused: Array<RefusedRow> = []
    const numberOf = new Map<string, number>()
    for (const [at, given] of requests.entries()) {
      const number = at + 1
      const checked = check(given)
      if (Result.isFailure(checked)) {
        if (total === 1) return yield* checked.failure
        refused.push({ number, refusal: checked.failure })
        continue
      }
      const { digest } = yield* use(Effect.succeed)
      const { request, segments } = checked.success
      const key = digest(partsOf(service, caller, request))
      const same = numberOf.get(key)
      if (same === undefined) planned.push({ request, segments, number, key })
      else refused.push({ number, refusal: sameAsRow(same) })
      numberOf.set(key, same ?? number)
    }
    if (refused.length > 0) return yield* rowsRefused(refused, total)
    if (total === 1) return planned
    const { digest } = yield* use(Effect.succeed)
    const batch = digest(["batch", ...numberOf.keys()])
    return planned.map((sms) => ({ ...sms, batch }))
  })
