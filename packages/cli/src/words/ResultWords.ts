/** The words of `results`: its columns, outcomes and reasons. A list may be such a file, so both know them. */
import { anyOf, parsed } from "@messaging-topup/command"
import { type ClientFailure, documentedErrors, type SendOutcome } from "@messaging-topup/core"
import type { RowCounts } from "@messaging-topup/journal"
import {
  anotherSms,
  type KnownSend,
  notSent,
  type OtherSend,
  type RowState,
  type SendState,
  type Standing,
  stateNames,
  states,
  wordOf
} from "@messaging-topup/journal/internal"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { quotedText } from "./QuotedText.ts"
import { shellWords } from "./ShellLine.ts"

interface RowResult {
  readonly row: { readonly line: number }
  readonly outcome: string
  readonly messageIds?: ReadonlyArray<string> | undefined
  readonly reason?: string | undefined
  readonly statuses?: ReadonlyArray<string>
}

/** The name of each column that is added, and its cell. `status` is there only with `--statuses`. */
export const resultColumns = {
  line: ({ row }) => String(row.line),
  outcome: ({ outcome }) => outcome,
  message_id: ({ messageIds = [] }) => messageIds.join(", "),
  reason: ({ reason = "" }) => reason,
  status: ({ statuses = [] }) => statuses.join(", ")
} as const satisfies Readonly<Record<string, (result: RowResult) => string>>

type ResultColumn = keyof typeof resultColumns

/** The first of them. */
export const lineColumn: ResultColumn = "line"

/** The column that says how a row ended. The journal may know no row of such a file. */
export const outcomeColumn: ResultColumn = "outcome"

/** The one that says why, and who was on the stop list. */
export const reasonColumn: ResultColumn = "reason"

/** The outcome of a row whose key has another SMS. */
const changed = "changed" satisfies RowState

/** The outcome of a row that did not go out, and would be a second SMS to its recipient. */
export const repeated = "repeated" satisfies keyof RowCounts

/** The outcome of a row that cannot be sent. */
export const invalidRow = "invalid"

/** The first reason of a row whose recipient is on the stop list, whatever became of it. */
export const excluded = "excluded"

/** Several reasons in one cell. */
export const reasonOf = (...reasons: ReadonlyArray<string | undefined>): string =>
  reasons.filter(Boolean).join("; ")

/** Whether the cell of a reason says that the recipient was on the stop list. */
export const isExcludedBy = (reason: string | undefined): boolean =>
  reason?.split("; ")[0] === excluded

/** The first reason of a row that cannot be sent as it is now, but whose key the journal has. */
export const invalidBecause = (problem: string): string => `${invalidRow}: ${problem}`

/** Whether the cell of a reason says that the row was invalid: its number may have been another one when its SMS was sent. */
export const isInvalidBy = (reason: string | undefined): boolean =>
  reason?.startsWith(invalidBecause("")) === true

/** What became of the SMS that has the key of another one, and what another key does. */
const otherWays: Readonly<Record<SendOutcome, string>> = {
  sent: "that SMS went out; another key sends this one, too, and next month's list needs another --campaign",
  unknown: "that SMS may have gone out, not the one of this row",
  "not-sent": "that SMS did not go out; to send the row, give it another key"
}

const hasKeyAs = ({ state }: KnownSend): string => `the journal has this key as ${wordOf(state)}`

/** What is wrong with a row that cannot be sent, and what the journal has of its key, if that is known. */
export const invalidProblem = (problem: string, send: KnownSend | undefined): string =>
  send === undefined ? problem : `${problem}; ${hasKeyAs(send)}`

/** Why the SMS that has the key of a row is not that of the row; undefined if it is, or if the row may be sent as it is. */
export const changedProblem = ({ isOther, send }: Standing): string | undefined => {
  if (!isOther || send === undefined || states[send.state].mayBeClaimed) return undefined
  return `${hasKeyAs(send)}, with ${anotherSms}: ${otherWays[states[send.state].outcome]}`
}

/** What is to be known before a row is sent that would be a second SMS of the campaign to somebody. */
const againProblem = `this recipient got an SMS of this campaign before, or may have: that row had another key, another spelling of the number, or ${anotherSms}`

/** What a recipient of the same text got with another campaign; without one, with sends of a program or of the MCP server. */
export const sameTextWith = (campaign: string | undefined): string => {
  const by = campaign === undefined ? "single sends" : `the campaign ${quotedText(campaign)}`
  return `got the same text before, or may have, with ${by}`
}

/** What is to be known before a row is sent that would be a second SMS to somebody. */
export const repeatedProblem = (campaign: string, other: OtherSend): string =>
  other.campaign === campaign ? againProblem : `this recipient ${sameTextWith(other.campaign)}`

/** `ConnectionFailed` has none: what never started leaves nothing. */
type Reason = Exclude<ClientFailure["_tag"], "ConnectionFailed"> | "Interrupted"

const sentences: Readonly<Record<string, string>> = {
  ...Record.map(documentedErrors, ({ title }) => `the service responded "${title}"`),
  ConnectionLost: "the connection broke before the response",
  InvalidInput: "the SMS cannot be written as a request",
  InvalidResponse: "the response cannot be read",
  Interrupted: "the process was stopped before the response",
  RequestTimedOut: "there was no response in time",
  UndocumentedStatus: "the service responded in a way that it does not document"
} satisfies Readonly<Record<Reason, string>>

/**
 * Why an SMS was rejected, or why its outcome is unknown, as a sentence. It keeps the error's name and status, by which
 * programs and support find it.
 */
export const sentenceOf = (reason: string | undefined): string => {
  if (reason === undefined) return "the process ended before the response"
  const [tag = ""] = reason.split(" ")
  const sentence = sentences[tag]
  return sentence === undefined ? reason : `${sentence} (${reason})`
}

/** The outcomes whose rows may go into another campaign. */
type OutcomeOfList = "sent" | "rejected" | "freed"

/** What is right instead of --outcome, for rows that a list of their own would send twice, or against a decision. */
const ways = {
  unknown: "they may have gone out: decide about them with resolve",
  "in-flight": "they may be going out: a minute later, write the list's results anew",
  closed:
    "a person decided that nothing sends them: take that back with resolve --resend --was not-sent"
} as const satisfies Record<Exclude<SendState, OutcomeOfList>, string>

const problems: ReadonlyMap<string, string> = new Map([
  [
    repeated,
    "their recipients got an SMS before, or may have: run the list itself again, which asks whether they get this one, too; to send something else to who got that SMS, write results of the list as it was sent, and give --outcome sent"
  ],
  [
    changed,
    "their keys have another SMS: write results of the list as it was sent, which say what became of that SMS; to send these rows, too, save them as a list of their own, with another --campaign"
  ],
  [invalidRow, "they cannot be sent: correct them in the list itself, and run it again"],
  ...Record.collect(ways, (state, way) => [states[state].word, way] as const)
])

const words = [...stateNames.map((state): string => states[state].word), notSent].filter(
  (word) => !problems.has(word)
)

const taken = `give ${anyOf(words.map((word) => shellWords(word)))}`

/** The outcomes that `results` writes. Others are of the person who wrote the file, and may be anything. */
export const isOutcome = (word: string): boolean => words.includes(word) || problems.has(word)

/** Rows with one outcome, which may go into another campaign. */
export const outcomeOption = parsed(
  "word",
  "",
  "Of a file that results wrote: only its rows with this outcome, such as sent",
  (given) => {
    if (words.includes(given)) return Result.succeed(given)
    const problem = problems.get(given)
    return Result.fail(
      problem === undefined ? taken : `${taken}, not ${JSON.stringify(given)}: ${problem}`
    )
  }
)

/** How a formula begins for a spreadsheet. A number with a sign is harmless, also with blanks. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const signedNumber = /^[+-]?\d+(?: \d+)*$/

/** Also with apostrophes before it: otherwise one that was there before would be taken for the one that was added. */
const isFormula = (cell: string): boolean => {
  const begun = cell.replace(/^'+/, "")
  return formula.test(begun) && !signedNumber.test(begun)
}

/** Writes a cell so that a spreadsheet shows a formula as text. */
export const asResult = (cell: string): string => (isFormula(cell) ? `'${cell}` : cell)

/** Reads what `asResult` wrote. */
export const fromResult = (cell: string): string =>
  cell.startsWith("'") && isFormula(cell) ? cell.slice(1) : cell
