/**
 * Checks all SMS of a call before anything is sent, each alone and then together, and finds what the journal
 * knows each of them by.
 */
import { type SendSmsRequest, SmsText } from "@messaging-topup/core"
import {
  type Doubtful,
  doubtfulIn,
  Phone,
  type Unmeant,
  unmeant
} from "@messaging-topup/core/internal"
import type { Standing } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Identity } from "./Caller.ts"
import { type Forms, formsOf } from "./Forms.ts"
import type { Rules } from "./Rules.ts"
import { bothNames } from "../Options.ts"
import { allowed } from "../AllowList.ts"
import { notSent, nothingSent, operatorAllows, Refusal, smallerCall } from "./Refusal.ts"
import type { Journal } from "./Journal.ts"
import { plural, rangesOf, sentences } from "../Sentences.ts"
import { normalized, withoutInvisible } from "../Visible.ts"

/**
 * The separator of two numbers. A plus sign starts a new number. Each run of blanks is read once, from its
 * start.
 */
const betweenNumbers = /[,;،؛、]|(?<=\d)\s*(?=\+)|(?<!\s)\s+(?=\(\s*\+)/u

/**
 * Splits a recipient at commas, semicolons and plus signs. An entry that is not a number, such as a
 * name, counts as one number.
 */
export const numbersIn = (recipient: string): ReadonlyArray<string> =>
  withoutInvisible(normalized(recipient, "NFKC"))
    .split(betweenNumbers)
    .map((entry) => entry.trim())
    .filter((entry) => /[\p{L}\p{N}]/u.test(entry))

/** Returns the form that is shown to a person and sent: one number loses its separators. */
const sendable = (recipient: string): string => {
  const [only = "", ...others] = numbersIn(recipient).map(Phone.sentForm)
  return others.length === 0 && Phone.isOneNumber(only) ? only : recipient
}

/** The country codes of ITU E.164 have one, two or three digits, and their first ones say how many. */
const countryCode = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/

/** Returns the country code of a number in the form that is sent; undefined without one: `0700…`. */
export const countryOf = (recipient: string): string | undefined => countryCode.exec(recipient)?.[0]

/** A sign between two digits: the service could read two numbers. A list may have an area code before a slash. */
const betweenDigits = /\p{Nd}[^\p{Nd}+#*/|&\\]*[#*/|&\\][^\p{Nd}+]*\p{Nd}/u

const recipientNotAllowed = new Refusal({
  code: "recipient_not_allowed",
  ...notSent("the recipient is not on the list of allowed recipients of this server"),
  next: `If it has no + and country code, ask the person for them. Do not try another number. The person who runs the server can allow it with ${bothNames("allow-recipients")}.`
})

const recipientUnclear = (problem: string): Refusal =>
  new Refusal({
    code: "recipient_unclear",
    ...notSent(`its recipient ${problem}`),
    next: "Give one phone number in digits, with + and country code. Ask the person for it, and do not guess."
  })

/** A cell of a list with few digits was cut. Whoever names one number to an assistant may mean a short one. */
const notANumber: Record<Exclude<Phone.NotANumber, "few-digits">, string> = {
  letters: "has letters",
  "no-number": "is not a phone number",
  several: "has more digits than one phone number, or names several",
  "spreadsheet-error": "is an error of a spreadsheet",
  "spreadsheet-number": "is a number that a spreadsheet changed",
  "trunk-zero": "has a (0), which is dialled only without the country code"
}

/** Why a recipient is not one phone number; undefined if it can only be one. */
export const unclearOf = (recipient: string): string | undefined => {
  const { problem } = Phone.read(recipient)
  if (problem === "spreadsheet-number") return notANumber[problem]
  const [only, ...others] = numbersIn(recipient)
  if (others.length > 0) return "names several numbers"
  if (only === undefined || !/\p{Nd}/u.test(only)) return "is not a phone number"
  if (betweenDigits.test(only)) return "has a sign between its digits"
  const wrong = Phone.read(only).problem
  return wrong === undefined || wrong === "few-digits" ? undefined : notANumber[wrong]
}

const unmeantProblems: Record<Unmeant, string> = {
  "control-character": "has a control character, which no phone shows",
  invisible: "has no visible character",
  markup: "has the tag <parameter>, with which another argument begins or ends",
  "no-value": "is a word of programs for no value",
  object: "has [object …], which a program writes for what is no text",
  placeholder: "has a placeholder such as {{name}} that nobody filled",
  "spreadsheet-error": "is an error of a spreadsheet"
}

const written = ["message", "sender_id", "scheduled_time"] as const

const nameOf = { message: "text", sender_id: "sender", scheduled_time: "time" } as const

const doubts: Record<Doubtful["why"], string> = {
  "no-value": "a word of programs for no value",
  placeholder: "a placeholder that nobody filled",
  "spreadsheet-error": "an error of a spreadsheet"
}

/** Says what somebody may mean in a text, a sender or a time, but seldom; undefined if there is nothing. */
export const doubtIn = (request: SendSmsRequest): string | undefined => {
  for (const field of written) {
    const found = doubtfulIn(request[field] ?? "")
    if (found !== undefined) {
      return `${nameOf[field]} has ${found.word}, perhaps ${doubts[found.why]}`
    }
  }
  return undefined
}

/** Refuses what nobody means as a text, a sender or a time. */
const unmeantIn = (
  request: SendSmsRequest,
  fields: ReadonlyArray<(typeof written)[number]>
): Refusal | undefined => {
  for (const field of fields) {
    const value = request[field]
    const wrong = value === undefined ? undefined : unmeant(value)
    if (wrong === undefined) continue
    return new Refusal({
      code: "invalid_arguments",
      ...notSent(`its ${field} ${unmeantProblems[wrong]}`),
      next: "Correct it with the person, and do not guess."
    })
  }
  return undefined
}

const tooManySegments = (segments: number, max: number): Refusal =>
  new Refusal({
    code: "too_many_segments",
    ...notSent(`its text takes ${segments} segments, and this server allows ${max}`),
    next: `Shorten the text with the person. ${operatorAllows("max-segments")}`,
    details: { segments, max_segments: max }
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
  ...notSent("it is the same SMS as an earlier row"),
  next: "Leave out one of two equal rows."
})

/** A row that cannot be sent, and its number, from 1. */
export interface RefusedRow {
  readonly number: number
  readonly refusal: Refusal
}

/** Says the problems of all rows: otherwise a model corrects those that it hears of. Equal ones are said once. */
export const rowsRefused = (rows: ReadonlyArray<RefusedRow>, total: number): Refusal => {
  const byText = Map.groupBy(rows, ({ refusal: { problem, what } }) => problem ?? what)
  const texts = [...byText].map(
    ([problem, each]) =>
      `${each.length === 1 ? "row" : "rows"} ${rangesOf(each.map(({ number }) => number))}: ${problem}`
  )
  return new Refusal({
    code: "rows_refused",
    what: `This call sent nothing: ${plural(rows.length, "row")} of ${total} cannot be sent; ${texts.join("; ")}.`,
    next: sentences(
      "Correct these rows with the person, or leave them out, and call again.",
      ...new Set(rows.map(({ refusal }) => refusal.next))
    ),
    details: { total, rows_refused: rows.length }
  })
}

/** An SMS that may be sent: its recipient has the form that is shown and sent. */
interface Checked {
  readonly request: SendSmsRequest
  readonly segments: number
}

/** Checks requests one after the other. A text that is too long can be far too long, so it is read once. */
const checker = ({ allowList, maxSegments, webhookUrl }: Rules) => {
  const texts = new Map<string, Result.Result<number, Refusal>>()
  const segmentsOf = (given: SendSmsRequest): Result.Result<number, Refusal> => {
    const wrong = unmeantIn(given, ["message"])
    if (wrong !== undefined) return Result.fail(wrong)
    const { segments } = SmsText.preview(given.message)
    return segments > maxSegments
      ? Result.fail(tooManySegments(segments, maxSegments))
      : Result.succeed(segments)
  }
  return (given: SendSmsRequest): Result.Result<Checked, Refusal> => {
    const { number } = Phone.read(given.recipient)
    const unclear = unclearOf(number)
    if (unclear !== undefined) return Result.fail(recipientUnclear(unclear))
    // With a list, nobody may be asked: then only what is surely one number is sent.
    if (allowList !== undefined && !Phone.isOneNumber(Phone.sentForm(number))) {
      return Result.fail(recipientUnclear("is not written as one phone number"))
    }
    const recipient = allowList === undefined ? sendable(number) : allowed(allowList, number)
    if (recipient === undefined) return Result.fail(recipientNotAllowed)
    const wrong = unmeantIn(given, ["sender_id", "scheduled_time"])
    if (wrong !== undefined) return Result.fail(wrong)
    const text = texts.get(given.message) ?? segmentsOf(given)
    texts.set(given.message, text)
    const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
    return Result.map(text, (segments) => ({
      request: { ...given, ...webhook, recipient },
      segments
    }))
  }
}

/** An SMS that passed the checks. */
export interface PlannedSms extends Checked, Forms {
  /** Its place in the call, from 1. */
  readonly number: number
  /** The batch of which it is a row: the same call again has the same. */
  readonly batch?: string
}

/** An SMS, and how its key stands. */
export interface KnownSms {
  readonly sms: PlannedSms
  readonly standing: Standing
}

/** One problem of one SMS is its refusal; those of several are said together. */
export const make = (rules: Rules, service: string, opened: Journal["Service"]["opened"]) =>
  Effect.fnUntraced(function* ({ id: caller }: Identity, requests: ReadonlyArray<SendSmsRequest>) {
    const total = requests.length
    if (total > rules.maxBatch) return yield* tooManyRows(total, rules)
    const check = checker(rules)
    const { digest } = yield* opened
    const forms = formsOf(digest, service, caller)
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
      const known = forms(checked.success.request)
      const { key } = known
      const same = numberOf.get(key)
      if (same === undefined) planned.push({ ...checked.success, ...known, number })
      else refused.push({ number, refusal: sameAsEarlier })
      numberOf.set(key, same ?? number)
    }
    if (refused.length > 0) return yield* rowsRefused(refused, total)
    if (total === 1) return planned
    // The id alone says how many there were.
    const batch = `${total}-${digest(["batch", ...numberOf.keys()])}`
    return planned.map((sms) => ({ ...sms, batch }))
  })
