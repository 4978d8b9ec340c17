/**
 * What sending the rows of a file means, by what the journal has already.
 */
import { SmsText } from "@messaging-topup/core"
import { type CampaignSends, SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Digests from "../input/Digests.ts"
import type { FileRow, InvalidRow, ReadRow, SkippedRow } from "../input/Row.ts"
import { keyed, recipientOf, type RowState, stateOf } from "../sending/Row.ts"
import type { List } from "./List.ts"
import * as LiveLine from "./LiveLine.ts"
import { note, report } from "./Output.ts"

export interface Plan {
  /** Rows that can be sent. */
  rows: number
  invalid: number
  /** Rows that are not sent because somebody asked for that. */
  readonly skipped: Record<SkippedRow["reason"], number>
  /** Of the rows that can be sent, those with the same recipient as an earlier row. */
  repeated: number
  /** How many rows that can be sent are in which state; the free ones will be sent. */
  readonly states: Record<RowState, number>
  /** Of the rows that will be sent. */
  segments: number
  /** Rows that will be sent, and whose recipients got another SMS of this campaign, or may have. */
  again: number
  /** Some of the texts that will be sent: the first ones, and others with letters beyond ASCII. */
  readonly texts: Array<string>
}

/** How many rows a terminal lists. */
const maxShown = 20

type Problem = Pick<InvalidRow, "field" | "line" | "problem">

/** Lists rows by their lines, without numbers and texts. */
const makeLister = (name: string) => {
  let listed = 0
  return Effect.fnUntraced(function* ({ field, line, problem }: Problem) {
    yield* report({
      event: "InvalidRow",
      line,
      ...(field === undefined ? {} : { field }),
      problem
    })
    const where = `${name}, line ${line}${field === undefined ? "" : `, ${field}`}`
    if (++listed <= maxShown) yield* note(`${where}: ${problem}`)
    if (listed === maxShown + 1) {
      yield* note("There are more of them: after a run, results lists every row with its problem")
    }
  })
}

/** So few that what is read of them is forgotten before it costs memory. */
const rowsPerLook = 512
const maxTexts = 6

export const changedProblem =
  "the journal has this key with another request: give the row another key, or leave it as it was"

const againProblem =
  "this recipient got another SMS of this campaign, or may have: its text or its key has changed since"

const recipientsPerPage = 5_000

/** Counts the recipients who got an SMS of a campaign, or may have. Returns how many SMS they got. */
const countRecipients = Effect.fnUntraced(function* (
  { recipients }: CampaignSends,
  campaign: string,
  digests: Digests.Digests
) {
  let total = 0
  const pages = Stream.paginate("", (after) =>
    Effect.map(recipients(campaign, { after, limit: recipientsPerPage }), (page) => {
      const last = page.length < recipientsPerPage ? undefined : page.at(-1)?.key
      return [page, Option.fromUndefinedOr(last)] as const
    })
  )
  yield* Stream.runForEachArray(pages, (page) =>
    Effect.sync(() => {
      total += page.length
      for (const { recipient } of page) digests.count(recipient)
    })
  )
  return total
})

interface PlanOptions {
  readonly campaign: string
  readonly retryRejected: boolean
  /** Whether the rows with problems are listed. */
  readonly lists: boolean
}

/** Reads the file, lists what is wrong with it, and compares it with the journal, which it does not change. */
export const make = Effect.fnUntraced(function* (
  list: List,
  { campaign, lists, retryRejected }: PlanOptions
) {
  const journal = yield* SendJournal
  const { campaigns } = journal
  const plan: Plan = {
    rows: 0,
    invalid: 0,
    skipped: { excluded: 0, "over the limit": 0 },
    repeated: 0,
    states: {
      free: 0,
      sent: 0,
      rejected: 0,
      unknown: 0,
      closed: 0,
      "in-flight": 0,
      changed: 0
    },
    segments: 0,
    again: 0,
    texts: []
  }
  const listProblem = lists ? makeLister(list.source.name) : () => Effect.void
  const writtenTo = Digests.make()
  /** How many SMS the recipients got. Undefined as long as no row is free. */
  let writtenCount: number | undefined

  const look = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadRow>) {
    const known = rows.map(({ row }) => keyed(journal, campaign, row))
    const states = Effect.map(campaigns.look(campaign, known), (standings) =>
      standings.map((standing) => stateOf(standing, retryRejected))
    )
    const found = yield* states
    if (writtenCount !== undefined || !found.includes("free")) return found
    writtenCount = yield* countRecipients(campaigns, campaign, writtenTo)
    // Another process may have sent some of these rows in between, which is no repetition.
    return yield* states
  })

  /** Counts a row that will be sent. Returns its problem, if there is one. */
  const willBeSent = ({ line, row }: ReadRow): Problem | undefined => {
    const { message } = row.request
    plan.segments += SmsText.preview(message).segments
    const isWanted = plan.texts.length < maxTexts / 2 || /[^\0-\x7f]/.test(message)
    if (isWanted && plan.texts.length < maxTexts) plan.texts.push(message)
    if (writtenCount === 0 || !writtenTo.has(recipientOf(journal, row))) return undefined
    plan.again++
    return { line, field: "recipient", problem: againProblem }
  }

  /** Counts a row; one that can be sent, in this state. Returns its problem, if there is one. */
  const add = (row: FileRow, state: RowState | undefined): Problem | undefined => {
    if (row._tag === "InvalidRow") {
      plan.invalid++
      return row
    }
    if (row._tag === "SkippedRow") plan.skipped[row.reason]++
    if (row._tag === "SkippedRow" || state === undefined) return undefined
    plan.rows++
    plan.states[state]++
    if (row.isSecondToRecipient) plan.repeated++
    if (state === "changed") return { line: row.line, problem: changedProblem }
    return state === "free" ? willBeSent(row) : undefined
  }

  const countRead = yield* LiveLine.counter(`rows of ${list.source.name} read`)
  yield* Stream.runForEach(
    Stream.grouped(list.rows, rowsPerLook),
    Effect.fnUntraced(function* (rows) {
      countRead(rows.length)
      const states = yield* look(rows.filter((row) => row._tag === "Row"))
      let next = 0
      for (const row of rows) {
        const problem = add(row, row._tag === "Row" ? states[next++] : undefined)
        if (problem !== undefined) yield* listProblem(problem)
      }
    })
  )
  return plan
}, Effect.scoped)
