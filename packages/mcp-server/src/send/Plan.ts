/** Checks all SMS of a call before anything is sent, and finds what the journal knows each of them by. */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import {
  partsOf,
  sameForms,
  type SendJournal,
  type Standing
} from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "./Caller.ts"
import type { Journal } from "./Journal.ts"
import { checkMeant, writtenFields } from "./Meant.ts"
import type { Rules } from "./Rules.ts"
import { bothNames, largest } from "../Options.ts"
import { checkRecipient } from "./Recipient.ts"
import { nothingSent, operatorAllows, Refusal, smallerCall } from "./Refusal.ts"
import { plural, rangesOf, sentences } from "../Sentences.ts"

/** Counts the segments of a text. */
const checkText = (message: string, max: number): Result.Result<number, Refusal> =>
  Result.flatMap(checkMeant("message", message), () => {
    const { segments } = SmsText.preview(message)
    if (segments <= max) return Result.succeed(segments)
    return Result.fail(
      new Refusal({
        code: "too_many_segments",
        ...nothingSent(`its text takes ${segments} segments, and this server allows ${max}`),
        next: `Shorten the text with the person. ${operatorAllows("max-segments")}`,
        details: { segments, max_segments: max }
      })
    )
  })

const tooManyRows = (total: number, { maxBatch, maxSendsPerHour }: Rules): Refusal =>
  new Refusal({
    code: "too_many_rows",
    ...nothingSent(`the batch has ${total} rows, and this server allows ${maxBatch}`),
    next: sentences(
      `Tell the person: the command messaging-topup sends files of any length. ${smallerCall}`,
      operatorAllows("max-batch"),
      total > maxSendsPerHour ? `They need ${bothNames("max-sends-per-hour")}, too.` : ""
    ),
    details: { total, max_batch: maxBatch }
  })

const sameAsEarlier = new Refusal({
  code: "rows_refused",
  ...nothingSent("it is the same SMS as an earlier row"),
  next: "Leave out one of two equal rows."
})

/** Why a row of a call cannot be sent, and its number, from 1. */
export type RefusedRow = readonly [number: number, refusal: Refusal]

/** Says the problems of all rows: otherwise a model corrects those that it hears of. Equal ones are said once. */
export const rowsRefused = (rows: ReadonlyArray<RefusedRow>, total: number): Refusal => {
  const [first] = rows
  if (first !== undefined && total === 1) return first[1]
  const byText = Map.groupBy(rows, ([, { problem, what }]) => problem ?? what)
  const texts = [...byText].map(
    ([problem, each]) =>
      `${each.length === 1 ? "row" : "rows"} ${rangesOf(each.map(([number]) => number))}: ${problem}`
  )
  return new Refusal({
    code: "rows_refused",
    what: `This call sent nothing: ${plural(rows.length, "row")} of ${total} cannot be sent; ${texts.join("; ")}.`,
    next: sentences(
      "Correct these rows with the person, or leave them out if the person says so, and call again.",
      ...new Set(rows.map(([, { next }]) => next))
    ),
    details: { total, rows_refused: rows.length }
  })
}

/** Checks requests one after the other. A text that is too long can be far too long, so it is read once. */
const checker = ({ allowList, maxSegments, webhookUrl }: Rules) => {
  const texts = new Map<string, Result.Result<number, Refusal>>()
  const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
  return (given: SendSmsRequest) =>
    Result.gen(function* () {
      const { message } = given
      const recipient = yield* checkRecipient(allowList, given.recipient)
      for (const field of writtenFields) {
        const value = given[field]
        if (field !== "message" && value !== undefined) yield* checkMeant(field, value)
      }
      const text = texts.get(message) ?? checkText(message, maxSegments)
      texts.set(message, text)
      return { request: { ...given, ...webhook, recipient }, segments: yield* text }
    })
}

/**
 * By its key, the journal knows that two sends are the same SMS: what looks the same goes out no second time without a
 * person. The account is no part of it, as of a list's or a program's key: two accounts can have one address, and one
 * account two. It is a keyed digest, also in the log: without the key of the journal, nobody can find a phone number by
 * trying all numbers.
 */
export const keyOf = (
  digest: (typeof SendJournal.Service)["digest"],
  isSandbox: boolean,
  caller: string,
  request: SendSmsRequest
): string => {
  const same = partsOf(request, sameForms)
  return digest(["message", isSandbox ? "sandbox" : "service", caller, ...same])
}

/** An SMS that passed the checks. */
export interface PlannedSms {
  /** Its recipient has the form that is shown and sent. */
  readonly request: SendSmsRequest
  readonly segments: number
  readonly key: string
  /** Its place in the call, from 1. */
  readonly number: number
  /** The batch of which it is a row: the same call again has the same. Absent if the call has no other SMS. */
  readonly batch?: string
}

/**
 * Whether a server with other rules may have sent it: each of several segments holds 153 characters at most. What is longer
 * would take long to digest.
 */
const mayBeKnown = ({ message }: SendSmsRequest): boolean =>
  message.length <= largest.segments * 153

/** The problems of all SMS are said together, and what is known of each: it may have gone out under other rules. */
export const make = (
  rules: Rules,
  { use }: Journal["Service"],
  about: (refusal: Refusal, standings: ReadonlyArray<Standing>) => Refusal,
  /** What is refused next where nobody can be asked: otherwise the person hears of a part of the rows. */
  doubtful: (
    planned: ReadonlyArray<PlannedSms>
  ) => Effect.Effect<ReadonlyArray<RefusedRow>, Refusal>
) => {
  const refuse = Effect.fnUntraced(function* (
    refusal: Refusal,
    caller: string,
    requests: ReadonlyArray<SendSmsRequest>
  ): Effect.fn.Return<never, Refusal> {
    if (requests.length > largest.batch) return yield* refusal
    const { digest } = yield* use(Effect.succeed)
    const keys = requests.map((request, at) => {
      const recipient = Phone.read(request.recipient).number
      return mayBeKnown(request)
        ? keyOf(digest, rules.isSandbox, caller, { ...request, recipient })
        : `too long ${at}`
    })
    const keyed = [...new Set(keys)].map((key) => ({ key, digest: key }))
    return yield* about(refusal, yield* use(({ server }) => server.look(keyed)))
  })

  return Effect.fnUntraced(function* (
    { id: caller, person }: Caller,
    requests: ReadonlyArray<SendSmsRequest>
  ): Effect.fn.Return<ReadonlyArray<PlannedSms>, Refusal> {
    const total = requests.length
    if (total > rules.maxBatch) return yield* refuse(tooManyRows(total, rules), caller, requests)
    const { digest } = yield* use(Effect.succeed)
    const check = checker(rules)
    const planned = new Map<string, PlannedSms>()
    const refused: Array<RefusedRow> = []
    for (const [at, given] of requests.entries()) {
      const number = at + 1
      const checked = check(given)
      if (Result.isFailure(checked)) {
        refused.push([number, checked.failure])
        continue
      }
      const key = keyOf(digest, rules.isSandbox, caller, checked.success.request)
      if (planned.has(key)) refused.push([number, sameAsEarlier])
      else planned.set(key, { ...checked.success, key, number })
    }
    if (refused.length > 0) {
      const unasked = person === undefined ? yield* doubtful([...planned.values()]) : []
      const all = [...refused, ...unasked].toSorted(([one], [other]) => one - other)
      return yield* refuse(rowsRefused(all, total), caller, requests)
    }
    if (total === 1) return [...planned.values()]
    // The id alone says how many there were.
    const batch = `${total}-${digest(["batch", ...planned.keys()])}`
    return [...planned.values()].map((sms) => ({ ...sms, batch }))
  })
}
