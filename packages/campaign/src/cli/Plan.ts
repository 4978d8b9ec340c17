/**
 * What sending the rows of a file means, by what the journal has already.
 */
import { SmsText } from "@messaging-topup/core"
import { type CampaignSends, SendJournal, type Standing } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Digests from "../input/Digests.ts"
import { keyed, recipientOf, type RowState, stateOf } from "../sending/Row.ts"
import type { InvalidRow, ReadRow, SkippedRow } from "../input/Row.ts"
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

/** Lists rows by their lines, without numbers and texts. */
const makeLister = (name: string) => {
  let listed = 0
  return Effect.fnUntraced(function* (row: Pick<InvalidRow, "field" | "line" | "problem">) {
    const { field, line, problem } = row
    yield* report({
      event: "InvalidRow",
      line,
      ...(field === undefined ? {} : { field }),
      problem
    })
    const where = `${name}, line ${line}${field === undefined ? "" : `, ${field}`}`
    if (++listed <= maxShown) yield* note(`${where}: ${problem}`)
    if (listed === maxShown + 1) {
      yield* note("There are more of them: results lists every row with its problem")
    }
  })
}

const rowsPerLook = 5_000
const maxTexts = 6

export const changedProblem =
  "the journal has this key with another request: give the row another key, or leave it as it was"

const againProblem =
  "this recipient got another SMS of this campaign, or may have: its text or its key has changed since"

const bytesOf = (digest: string): Buffer => Buffer.from(digest, "base64url")

const recipientsPerPage = 5_000

/** The recipients who got an SMS of a campaign, or may have; undefined if there is none. */
const recipientsOf = Effect.fnUntraced(function* ({ recipients }: CampaignSends, campaign: string) {
  const digests = Digests.make()
  let count = 0
  const pages = Stream.paginate("", (after) =>
    Effect.map(recipients(campaign, { after, limit: recipientsPerPage }), (page) => {
      const last = page.length < recipientsPerPage ? undefined : page.at(-1)?.key
      return [page, Option.fromUndefinedOr(last)] as const
    })
  )
  yield* Stream.runForEach(pages, ({ recipient }) =>
    Effect.sync(() => {
      count++
      digests.count(bytesOf(recipient))
    })
  )
  return count === 0 ? undefined : digests
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
  // Read before the rows are looked up: another process may send a row in between, which is no repetition.
  const writtenTo = yield* recipientsOf(campaigns, campaign)

  const willBeSent = Effect.fnUntraced(function* (row: ReadRow) {
    const { message } = row.row.request
    plan.segments += SmsText.preview(message).segments
    const isWanted = plan.texts.length < maxTexts / 2 || /[^\0-\x7f]/.test(message)
    if (isWanted && plan.texts.length < maxTexts) plan.texts.push(message)
    if (writtenTo?.has(bytesOf(recipientOf(journal, row.row))) !== true) return
    plan.again++
    yield* listProblem({ line: row.line, field: "recipient", problem: againProblem })
  })

  const add = Effect.fnUntraced(function* (row: ReadRow, standing: Standing) {
    const state = stateOf(standing, retryRejected)
    plan.states[state]++
    if (state === "free") yield* willBeSent(row)
    if (state === "changed") yield* listProblem({ line: row.line, problem: changedProblem })
  })

  const compare = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadRow>) {
    const known = rows.map(({ row }) => keyed(journal, campaign, row))
    const standings = yield* campaigns.look(campaign, known)
    for (const [index, row] of rows.entries()) {
      const standing = standings[index]
      if (standing !== undefined) yield* add(row, standing)
    }
  })

  let waiting = new Array<ReadRow>()
  const compareWaiting = Effect.suspend(() => {
    const rows = waiting
    waiting = []
    return compare(rows)
  })

  const countRead = yield* LiveLine.counter(`rows of ${list.source.name} read`)
  yield* Stream.runForEach(
    list.rows,
    Effect.fnUntraced(function* (rows) {
      countRead(rows.length)
      for (const row of rows) {
        switch (row._tag) {
          case "InvalidRow":
            plan.invalid++
            yield* listProblem(row)
            break
          case "SkippedRow":
            plan.skipped[row.reason]++
            break
          case "Row":
            plan.rows++
            if (row.isSecondToRecipient) plan.repeated++
            waiting.push(row)
        }
      }
      if (waiting.length >= rowsPerLook) yield* compareWaiting
    })
  )
  yield* compareWaiting
  return plan
}, Effect.scoped)
