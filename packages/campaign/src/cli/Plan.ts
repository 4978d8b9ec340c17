/**
 * What sending the rows of a file means, by what the journal has already.
 */
import { CampaignJournal, type RowState, type WrittenRow } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Digests from "../input/Digests.ts"
import * as Recipient from "../input/Recipient.ts"
import type { ReadRow } from "../input/Row.ts"
import * as Totals from "../input/Totals.ts"
import { paged } from "../rows/Lookup.ts"
import { status } from "../rows/State.ts"
import * as LiveLine from "./LiveLine.ts"
import { sandboxPrefix } from "./Services.ts"

export interface Plan {
  /** Rows that the journal does not have. */
  fresh: number
  /** The rows that it has with the same content. */
  readonly known: Record<RowState, number>
  /** Rows of the campaign that are pending, of this file or not. */
  readonly pending: number
  /** Of the rows of the file that will be sent. */
  segments: number
  /** Recipients of these rows who have another row of this campaign that went out, or may have. */
  here: number
  /** Recipients who have such a row of another campaign. */
  elsewhere: number
  /** When the first of the rows of other campaigns went out. */
  first: number | undefined
}

export interface Changed {
  readonly row: ReadRow
  /** The field that has another value in the journal. */
  readonly field: string
}

const writtenPerPage = 5_000

const allWritten = paged(writtenPerPage, ({ written }, after) => written(after, writtenPerPage))

/**
 * A set of recipients, in any spelling. Most rows of a journal are to others: for them, a look at one byte
 * takes the place of a digest.
 */
const makeRecipients = () => {
  const marks = new Uint8Array(2 ** 24)
  const digests = Digests.make()
  const markOf = (identity: string): number => Number(identity) % marks.length
  return {
    add: (recipient: string): void => {
      const identity = Recipient.identityOf(recipient)
      marks[markOf(identity)] = 1
      digests.count(Digests.digestOf(identity))
    },
    /** Returns the digest of the recipient if it is in the set. */
    find: (recipient: string): Buffer | undefined => {
      const identity = Recipient.identityOf(recipient)
      if (marks[markOf(identity)] === 0) return undefined
      const digest = Digests.digestOf(identity)
      return digests.has(digest) ? digest : undefined
    }
  }
}

/** Begins a comparison with the journal, which it does not change. */
export const make = Effect.fnUntraced(function* (campaign: string) {
  const campaigns = yield* CampaignJournal
  const pending = yield* status(campaign).pipe(
    Effect.map(({ counts }) => counts.pending),
    Effect.catchTag("CampaignNotFound", () => Effect.succeed(0))
  )
  const plan: Plan = {
    fresh: 0,
    known: { pending: 0, attempting: 0, sent: 0, rejected: 0, unknown: 0 },
    pending,
    segments: 0,
    here: 0,
    elsewhere: 0,
    first: undefined
  }
  const recipients = makeRecipients()
  const here = Digests.make()
  const elsewhere = Digests.make()

  /** Compares rows with those of the campaign. `willBeSent` gets the others in their order. */
  const add = Effect.fnUntraced(function* (
    rows: ReadonlyArray<ReadRow>,
    willBeSent: (row: ReadRow) => void = () => {}
  ) {
    const known = yield* campaigns.known(
      campaign,
      rows.map(({ row }) => row)
    )
    const byIndex = new Map(known.map((row) => [row.index, row]))
    const changed = new Array<Changed>()
    for (const [index, row] of rows.entries()) {
      const found = byIndex.get(index)
      if (found?.changed !== undefined) {
        changed.push({ row, field: found.changed })
        continue
      }
      if (found === undefined) plan.fresh++
      else plan.known[found.state]++
      if (found !== undefined && found.state !== "pending") continue
      plan.segments += Totals.segmentsOf(row)
      recipients.add(row.row.request.recipient)
      willBeSent(row)
    }
    return changed
  })

  // What was sent to a sandbox was not really sent.
  const isOfSandbox = campaign.startsWith(sandboxPrefix)
  const addWritten = ({ at, campaign: other, recipient }: WrittenRow): void => {
    if (other !== campaign && !isOfSandbox && other.startsWith(sandboxPrefix)) return
    const digest = recipients.find(recipient)
    if (digest === undefined) return
    if (other === campaign) {
      if (here.count(digest) === 1) plan.here++
      return
    }
    if (elsewhere.count(digest) === 1) plan.elsewhere++
    plan.first = Math.min(plan.first ?? at, at)
  }

  /** Finds who was written to before. It reads all rows of the journal that went out, or may have. */
  const end = Effect.gen(function* () {
    if (plan.segments === 0) return plan
    const countCompared = yield* LiveLine.counter("rows of the journal compared")
    yield* Stream.runForEachArray(allWritten, (rows) =>
      Effect.sync(() => {
        countCompared(rows.length)
        for (const row of rows) addWritten(row)
      })
    )
    return plan
  }).pipe(Effect.scoped)

  return { add, end }
})
