/** What sending the rows of a file means, by what the journal has already. */
import { counter, note } from "@messaging-topup/command"
import { SmsText } from "@messaging-topup/core"
import { Phone, scheduledAt } from "@messaging-topup/core/internal"
import type { QuietHours as QuietHoursOption } from "@messaging-topup/journal"
import {
  type JournalLocation,
  QuietHours,
  type RowState,
  stateOf,
  wordOf
} from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Stream from "effect/Stream"
import * as Digests from "../input/Digests.ts"
import type { ReadRow } from "../input/Row.ts"
import { type RowProblem, tell } from "../Events.ts"
import type { List } from "../input/List.ts"
import { isUnused } from "../journal/Campaign.ts"
import { type EarlierSend, earlierSends } from "../journal/EarlierSends.ts"
import { isFree, type KnownRow, knownRows } from "../journal/KnownRows.ts"
import { changedProblem, invalidProblem, repeatedProblem } from "../words/ResultWords.ts"

/** Where recipients got the same text, or may have. */
export interface SentBefore {
  /** The name of the campaign. Absent: a program or the MCP server sent it. */
  readonly campaign: string | undefined
  /** When it was sent last, in milliseconds since 1970. */
  readonly lastAt: number
  /** How many of the rows that will be sent. */
  readonly rows: number
}

/** How many rows a terminal lists. */
const maxShown = 20

/** Lists rows by their lines, without numbers and texts. */
const makeLister = (name: string) => {
  let listed = 0
  return Effect.fnUntraced(function* (found: RowProblem) {
    yield* tell(found)
    const { line, problem } = found
    const field = "field" in found ? found.field : undefined
    const where = `${name}, line ${line}${field === undefined ? "" : `, ${field}`}`
    if (++listed <= maxShown) yield* note(`${where}: ${problem}`)
    if (listed === maxShown + 1) {
      yield* note("There are more of them: --dry-run > problems.jsonl has each")
    }
  })
}

const maxTexts = 6

/** That the SMS of a row's key is another one, if it is. */
const changedOf = ({ row: { line }, standing }: KnownRow): RowProblem | undefined => {
  const problem = standing && changedProblem(standing)
  if (problem === undefined) return undefined
  return { event: "Changed", line, state: wordOf(standing?.send?.state), problem }
}

/** What a run is about, as its options say. */
export interface RunSettings {
  readonly campaign: string
  readonly list: List
  readonly location: JournalLocation
  readonly quietHours: QuietHoursOption | undefined
  readonly rates: { readonly concurrency: number; readonly messagesPerSecond: number | undefined }
  readonly retryRejected: boolean
  /** Of the times that are shown. */
  readonly zone: DateTime.TimeZone
}

/** Where rows are sent. */
export interface Destination {
  /** The address of the service, also of a sandbox. */
  readonly service: string
  /** What a person calls it. */
  readonly name: string
}

/** What a run is about that sends. */
export interface SendSettings extends RunSettings {
  readonly destination: Destination
}

const noRows = (): Record<RowState, number> => ({
  free: 0,
  sent: 0,
  rejected: 0,
  unknown: 0,
  closed: 0,
  "in-flight": 0,
  changed: 0
})

/** What happened to an excluded row before it was. */
const beforeExcluded: ReadonlySet<RowState> = new Set(["sent", "unknown", "in-flight", "changed"])

/** Reads the file, lists what is wrong with it, and compares it with the journal, which it does not change. */
export const make = Effect.fnUntraced(function* ({
  campaign,
  list,
  quietHours,
  retryRejected
}: RunSettings) {
  const quietUntil = yield* Effect.fromResult(QuietHours.make(quietHours))
  const now = yield* Clock.currentTimeMillis
  const texts: Array<string> = []
  const plan = {
    /** Whether the campaign has sends. */
    isUsed: !(yield* isUnused(campaign)),
    /** Rows that can be sent. */
    rows: 0,
    invalid: 0,
    /** Rows whose recipients are on the stop list. */
    excluded: 0,
    /**
     * How many invalid and excluded rows are in which state: they went out before, or may have. Not those that are free, and
     * of excluded ones not those that did not go out.
     */
    unsendable: noRows(),
    /** Of the rows that can be sent, those with the same recipient as an earlier row. */
    repeated: 0,
    /** How many rows that can be sent are in which state; the free ones will be sent. */
    states: noRows(),
    /** Of the rows that will be sent. */
    segments: 0,
    /** Rows that will be sent to a number that may have no country code: another spelling of it is not recognised. */
    national: 0,
    /** Rows that will be sent to a number of another country than --country. */
    foreign: 0,
    /** Rows that will be sent, and whose recipients got an SMS of this campaign before, or may have. */
    again: 0,
    /** Of the rows that would be a second SMS to somebody, those by another spelling of the number. */
    respelled: 0,
    /** Rows that will be sent, and whose scheduled time has passed: the service may send them at once. */
    scheduledInPast: 0,
    /** Rows that will be sent before the quiet hours, and are scheduled for a time in them. */
    scheduledInQuietHours: 0,
    /** Rows that will be sent, and whose scheduled time cannot be compared with anything. */
    scheduledUnchecked: 0,
    /** The keys of the rows that a person was shown as a second SMS to somebody. */
    shown: Digests.make(),
    /** Some of the texts that will be sent: the first ones, and others with letters beyond ASCII. */
    texts
  }
  const listProblem = makeLister(list.name)
  const sentBefore = new Map<string | undefined, SentBefore>()

  /** Counts a row that would be a second SMS to its recipient, and returns its problem. */
  const addSecond = ({ line, row: { key } }: ReadRow, other: EarlierSend): RowProblem => {
    plan.shown.count(key)
    if (other.isRespelled) plan.respelled++
    if (other.campaign === campaign) plan.again++
    else {
      const { lastAt = 0, rows = 0 } = sentBefore.get(other.campaign) ?? {}
      sentBefore.set(other.campaign, {
        campaign: other.campaign,
        lastAt: Math.max(lastAt, other.claimedAt),
        rows: rows + 1
      })
    }
    return {
      event: "Repeated",
      line,
      field: "recipient",
      problem: repeatedProblem(campaign, other)
    }
  }

  const stateIn = ({ standing }: KnownRow): RowState =>
    standing === undefined ? "free" : stateOf(standing, retryRejected)

  /** Counts a row. Returns its problem, if there is one. */
  const add = (
    known: KnownRow,
    others: ReadonlyMap<string, EarlierSend>
  ): RowProblem | undefined => {
    const { row } = known
    const state = stateIn(known)
    if (row._tag === "InvalidRow") {
      plan.invalid++
      if (state !== "free") plan.unsendable[state]++
      const { field, line, problem } = row
      const send = known.standing?.send
      return {
        event: "InvalidRow",
        line,
        field,
        problem: invalidProblem(problem, send),
        state: send && wordOf(send.state)
      }
    }
    if (row._tag === "ExcludedRow") {
      plan.excluded++
      if (!beforeExcluded.has(state)) return undefined
      plan.unsendable[state]++
      return changedOf(known)
    }
    plan.rows++
    plan.states[state]++
    if (row.firstToRecipient !== row.line) plan.repeated++
    if (!isFree(known, retryRejected)) return changedOf(known)
    const { message, recipient, scheduled_time } = row.row.request
    if (!Phone.isInternational(recipient)) plan.national++
    if (list.country !== undefined && !recipient.startsWith(list.country.prefix)) plan.foreign++
    const at = scheduledAt(row.row.request)
    if (scheduled_time !== undefined && at === undefined) plan.scheduledUnchecked++
    if (at !== undefined && at < now) plan.scheduledInPast++
    else if (at !== undefined && quietUntil(at) !== undefined) plan.scheduledInQuietHours++
    plan.segments += SmsText.preview(message).segments
    const isWanted = texts.length < maxTexts / 2 || /[^\0-\x7f]/.test(message)
    if (isWanted && texts.length < maxTexts) texts.push(message)
    const other = others.get(known.send.key)
    return other === undefined ? undefined : addSecond(row, other)
  }

  const countRead = yield* counter(`rows of ${list.name} read`)
  yield* Stream.runForEachArray(
    knownRows(list.rows, campaign),
    Effect.fnUntraced(function* (some) {
      countRead(some.length)
      const others = yield* earlierSends(
        campaign,
        some.filter((known) => isFree(known, retryRejected))
      )
      for (const known of some) {
        const problem = add(known, others)
        if (problem !== undefined) yield* listProblem(problem)
      }
    })
  )
  return {
    ...plan,
    /** How many rows are in which state, also those that cannot be sent. */
    known: Record.map(plan.states, (count, state) => count + plan.unsendable[state]),
    chosen: yield* list.chosen,
    sentBefore: [...sentBefore.values()]
  }
}, Effect.scoped)

export type Plan = Effect.Success<ReturnType<typeof make>>
