/** What sending the rows of a file means, by what the journal has already. */
import { counter, note } from "@messaging-topup/command"
import { SmsText } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import type { QuietHours } from "@messaging-topup/journal"
import {
  type JournalLocation,
  type OtherSend,
  SendJournal,
  type RowState,
  stateOf
} from "@messaging-topup/journal/internal"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Digests from "../input/Digests.ts"
import type { FileRow, InvalidRow, ReadRow } from "../input/Row.ts"
import { report } from "../Events.ts"
import type { List } from "../input/List.ts"
import { changedProblem } from "../words/ResultWords.ts"

/** Where recipients got the same text. */
export interface SentBefore {
  /** The name of the campaign. Absent: a program or the MCP server sent it. */
  readonly campaign: string | undefined
  /** When somebody got it last, in milliseconds since 1970. */
  lastAt: number
  /** How many of the rows that will be sent. */
  rows: number
}

interface Looked {
  readonly state: RowState
  /** The send that makes it a second SMS to its recipient, if there is one. */
  readonly other: OtherSend | undefined
}

/** How many rows a terminal lists. */
const maxShown = 20

type Problem = Pick<InvalidRow, "field" | "line" | "problem">

/** Lists rows by their lines, without numbers and texts. */
const makeLister = (name: string) => {
  let listed = 0
  return Effect.fnUntraced(function* ({ field, line, problem }: Problem) {
    yield* report({ event: "InvalidRow", line, field, problem })
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

const againProblem =
  "this recipient got another SMS of this campaign, or may have: its text or its key has changed since"

/** Counts the rows that went out before under other names, by the names. */
const makePlaces = () => {
  const places = new Map<string | undefined, SentBefore>()
  return {
    count: ({ campaign, claimedAt }: OtherSend): void => {
      const place = places.get(campaign) ?? { campaign, lastAt: claimedAt, rows: 0 }
      place.lastAt = Math.max(place.lastAt, claimedAt)
      place.rows++
      places.set(campaign, place)
    },
    all: (): ReadonlyArray<SentBefore> => [...places.values()]
  }
}

/** What a run is about, as its options say. */
export interface RunSettings {
  readonly campaign: string
  readonly list: List
  readonly location: JournalLocation
  readonly quietHours: QuietHours | undefined
  readonly rates: { readonly concurrency: number; readonly messagesPerSecond: number | undefined }
  readonly retryRejected: boolean
  /** Of the times that are shown. */
  readonly zone: DateTime.TimeZone
}

/** Reads the file, lists what is wrong with it, and compares it with the journal, which it does not change. */
export const make = Effect.fnUntraced(function* ({ campaign, list, retryRejected }: RunSettings) {
  const journal = yield* SendJournal
  const { campaigns } = journal
  const texts: Array<string> = []
  const states: Record<RowState, number> = {
    free: 0,
    sent: 0,
    rejected: 0,
    unknown: 0,
    closed: 0,
    "in-flight": 0,
    changed: 0
  }
  const plan = {
    /** Rows that can be sent. */
    rows: 0,
    invalid: 0,
    /** Rows whose recipients are on the stop list. */
    excluded: 0,
    /** Of the rows that can be sent, those with the same recipient as an earlier row. */
    repeated: 0,
    /** How many rows that can be sent are in which state; the free ones will be sent. */
    states,
    /** Of the rows that will be sent. */
    segments: 0,
    /** Rows that will be sent to a number without a country code: another spelling of it is not recognised. */
    national: 0,
    /** Rows that will be sent to a number of another country than --country. */
    foreign: 0,
    /** Rows that will be sent, and whose recipients got another SMS of this campaign, or may have. */
    again: 0,
    /** The keys of the rows that a person was shown as a second SMS to somebody. */
    shown: Digests.make(),
    /** Some of the texts that will be sent: the first ones, and others with letters beyond ASCII. */
    texts
  }
  const listProblem = makeLister(list.name)
  const sentBefore = makePlaces()

  /** How each row stands, and which other send makes it a second SMS to its recipient. */
  const look = Effect.fnUntraced(function* (rows: ReadonlyArray<ReadRow>) {
    const sends = rows.map(({ row: { key, request } }) =>
      journal.identify({ campaign, key }, request)
    )
    const standings = yield* campaigns.look(sends)
    const looked = rows.flatMap((row, index) => {
      const send = sends[index]
      const standing = standings[index]
      if (send === undefined || standing === undefined) return []
      return [{ row, send, request: row.row.request, state: stateOf(standing, retryRejected) }]
    })
    const free = looked.filter(({ state }) => state === "free")
    const repeated = yield* campaigns.repeated(campaign, free)
    return new Map(
      looked.map((each) => [each.row, { state: each.state, other: repeated.get(each) }])
    )
  })

  /** Counts a row that will be sent. Returns its problem, if there is one. */
  const willBeSent = (
    { line, row }: ReadRow,
    other: OtherSend | undefined
  ): Problem | undefined => {
    const { message, recipient } = row.request
    if (Phone.sentForm(recipient).startsWith("0")) plan.national++
    if (list.country !== undefined && !recipient.startsWith(list.country.prefix)) plan.foreign++
    plan.segments += SmsText.preview(message).segments
    const isWanted = texts.length < maxTexts / 2 || /[^\0-\x7f]/.test(message)
    if (isWanted && texts.length < maxTexts) texts.push(message)
    if (other === undefined) return undefined
    plan.shown.count(row.key)
    if (other.campaign !== campaign) {
      sentBefore.count(other)
      return undefined
    }
    plan.again++
    return { line, field: "recipient", problem: againProblem }
  }

  /** Counts a row. Returns its problem, if there is one. */
  const add = (row: FileRow, looked: ReadonlyMap<ReadRow, Looked>): Problem | undefined => {
    if (row._tag === "InvalidRow") {
      plan.invalid++
      return row
    }
    if (row._tag === "ExcludedRow") {
      plan.excluded++
      return undefined
    }
    const { other, state = "free" } = looked.get(row) ?? {}
    plan.rows++
    plan.states[state]++
    if (row.firstToRecipient !== row.line) plan.repeated++
    if (state === "changed") return { line: row.line, problem: changedProblem }
    return state === "free" ? willBeSent(row, other) : undefined
  }

  const countRead = yield* counter(`rows of ${list.name} read`)
  yield* Stream.runForEach(
    Stream.grouped(list.rows, rowsPerLook),
    Effect.fnUntraced(function* (rows) {
      countRead(rows.length)
      const looked = yield* look(rows.filter((row) => row._tag === "Row"))
      for (const row of rows) {
        const problem = add(row, looked)
        if (problem !== undefined) yield* listProblem(problem)
      }
    })
  )
  return { ...plan, sentBefore: sentBefore.all() }
}, Effect.scoped)

export type Plan = Effect.Success<ReturnType<typeof make>>
