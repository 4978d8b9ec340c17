/** What a caller is told of earlier sends to the number of an SMS: in the question about it, or with its end. */
import type { SendSmsRequest } from "@messaging-topup/core"
import { type Dialect, isOneOf, type Query } from "../database/Database.ts"
import { optional, type StoredRow, rowsOf, text } from "../database/StoredRows.ts"
import type { Names } from "../model/Names.ts"
import type { Standing } from "../model/Send.ts"
import { mayBeOut, ofUnknownOutcome } from "../model/States.ts"
import type { Rule } from "../Rule.ts"

/** An SMS of a call, and how its key stands. */
export interface AskedSms extends Pick<Standing, "state"> {
  readonly key: string
  readonly request: SendSmsRequest
}

/** Sends to a number that went out, or may have. */
export interface SendsTo {
  /** When the last one was claimed, whether it went out, and whether a person decided so. */
  readonly claimedAt: number
  readonly isSent: boolean
  readonly isDecided: boolean
  /** How many the service accepted, and how many went out as a person decided. */
  readonly accepted: number
  readonly decided: number
  /** The largest of their ids: that of each later claim is larger. */
  readonly newest: number
  /** The ids of those that may have gone out, the newest first. */
  readonly unknown: ReadonlyArray<number>
}

/** What is told of earlier sends to the number of an SMS. */
export interface EarlierSends {
  /** Those of the same text: the caller's, and of lists and programs. */
  readonly sameText?: SendsTo
  /** The caller's of another text of which it is not known whether they went out. */
  readonly unknown?: SendsTo
}

/** The largest id of these; 0 without one. */
export const newestOf = ({ sameText, unknown }: EarlierSends): number =>
  Math.max(sameText?.newest ?? 0, unknown?.newest ?? 0)

const sendsTo = (found: string): SendsTo => {
  const [claimedAt, state, newest, accepted, decided, ...unknown] = found.split(" ")
  return {
    claimedAt: Number(claimedAt),
    isSent: state === "sent" || state === "decided",
    isDecided: state === "decided",
    accepted: Number(accepted),
    decided: Number(decided),
    newest: Number(newest),
    unknown: unknown.map(Number).toSorted((one, other) => other - one)
  }
}

const earlierOf = (row: StoredRow): EarlierSends => {
  const sameText = optional(row, "same_text", text)
  const unknown = optional(row, "unknown", text)
  return {
    ...(sameText === undefined ? {} : { sameText: sendsTo(sameText) }),
    ...(unknown === undefined ? {} : { unknown: sendsTo(unknown) })
  }
}

/** How many of the other sends went out, because a person decided so or not. */
const sent = (isDecided: boolean) =>
  `cast(count(case when other.state = 'sent' and other.decided_at is ${isDecided ? "not null" : "null"} then 1 end) as text)`

export const makeEarlier = (
  { integer: int, jsonTable, table }: Dialect,
  rule: Rule,
  describe: Names["describe"]
) => {
  const stored = table("send")

  /**
   * Sends to a number, as `sendsTo` reads them; null without one. No join: PostgreSQL would read the whole table for it.
   * And no owner, as the server alone has callers: PostgreSQL would read its index by time for each number.
   */
  const allTo = (states: ReadonlyArray<string>, condition: string) =>
    `(select max(cast(other.claimed_at as text) || ' ' || case when other.decided_at is null then other.state else 'decided' end) || ' ' || cast(max(other.id) as text)
        || ' ' || ${sent(false)} || ' ' || ${sent(true)}
        || coalesce(string_agg(case when other.state <> 'sent' then ' ' || cast(other.id as text) end, ''), '')
      from ${stored} as other
      where other.recipient = fields.recipient and other.ticket <> $ticket
        and ${isOneOf("other.state", states)} and ${condition})`

  /** Lists and programs have no caller. Of these, a caller learns only of the number and the text that it names itself. */
  const sameText = allTo(
    mayBeOut,
    `coalesce(other.caller, $caller) = $caller
      and ${rule.sql.isSameText("other")} and other.key <> fields.except_key`
  )

  const asked = jsonTable(
    "$asked",
    `at ${int}`,
    "recipient text",
    "content text",
    "except_key text"
  )

  const unknownTo = allTo(
    ofUnknownOutcome,
    `other.caller = $caller and ${rule.sql.isRecent("other")}
      and other.content not in (select fields.content from ${asked})
      and other.key not in (select fields.except_key from ${asked})`
  )

  const selectEarlier = `select ${sameText} as same_text, ${unknownTo} as unknown
    from ${asked} order by fields.at`

  /**
   * Returns for each SMS what a question tells the caller of earlier sends to its number: as far back as lists look for
   * the same text. All are asked about together, so what is told of one of them is not told of another one. The claim
   * with the ticket is none of them.
   */
  return (query: Query, caller: string, all: ReadonlyArray<AskedSms>, ticket: string) => {
    const rows = all.map(({ key, request, state }, at) => {
      const { content, recipient } = describe({ key, digest: key }, request)
      // What is told of the same SMS itself is told already.
      const isOther = state !== "free" && state !== "rejected"
      return { at, content, recipient, except_key: isOther ? key : "" }
    })
    return rowsOf(query(selectEarlier, { asked: JSON.stringify(rows), caller, ticket }), earlierOf)
  }
}
