/** What became of each row of a file, in the words that people see. */
import {
  decidedSo,
  type KnownSend,
  notSent,
  type RowState,
  type Standing,
  wordOf,
  stateOf
} from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { secondToRecipient } from "../input/Rows.ts"
import type { FileRow } from "../input/Row.ts"
import type { List } from "../input/List.ts"
import { earlierSends } from "../journal/EarlierSends.ts"
import { isFree, type KnownRow, knownRows, type LookedRow } from "../journal/KnownRows.ts"
import {
  changedProblem,
  excluded,
  invalidBecause,
  invalidRow,
  reasonOf,
  repeated,
  repeatedProblem,
  sentenceOf
} from "../words/ResultWords.ts"

export interface RowOutcome {
  readonly row: FileRow
  readonly outcome: string
  /** A response may have several. */
  readonly messageIds?: ReadonlyArray<string> | undefined
  readonly reason?: string | undefined
  /** Whether it cannot be sent as it is now, whatever became of it before. */
  readonly isInvalid: boolean
  /** Whether the journal has a send of this row. If not, whether the next run sends it, or asks before that. */
  readonly is: "excluded" | "impossible" | "known" | "repeated" | "waiting"
}

/** Why a row cannot be sent, if it cannot. */
const problemOf = (row: FileRow, { allowRepeats }: List): string | undefined => {
  if (row._tag === "ExcludedRow") return undefined
  if (row._tag === "InvalidRow") {
    const { field, problem } = row
    return field === undefined ? problem : `${field}: ${problem}`
  }
  const { firstToRecipient, line } = row
  return firstToRecipient === line || allowRepeats
    ? undefined
    : `recipient: ${secondToRecipient(firstToRecipient)}`
}

type Became = Omit<RowOutcome, "isInvalid" | "row">

/** A row that the journal does not have. */
const unsent = ({ _tag }: FileRow, problem: string | undefined): Became => {
  if (problem !== undefined) return { outcome: invalidRow, reason: problem, is: "impossible" }
  return { outcome: notSent, is: _tag === "ExcludedRow" ? excluded : "waiting" }
}

const failed = ({ reason }: KnownSend) => sentenceOf(reason)

/** Why a row is in its state, besides that its SMS is another one now. */
const reasons: Readonly<Record<RowState, (send: KnownSend) => string | undefined>> = {
  free: decidedSo,
  closed: decidedSo,
  sent: decidedSo,
  changed: () => undefined,
  rejected: failed,
  unknown: failed,
  "in-flight": () => undefined
}

const outcomeOf = (
  row: FileRow,
  standing: Standing | undefined,
  problem: string | undefined
): Became => {
  const send = standing?.send
  if (standing === undefined || send === undefined) return unsent(row, problem)
  const state = stateOf(standing, false)
  const invalid = problem && invalidBecause(problem)
  return {
    outcome: state === "changed" ? state : wordOf(state === "free" ? send.state : state),
    messageIds: state === "sent" ? send.messages.map(({ message_id }) => message_id) : [],
    reason: reasonOf(invalid, changedProblem(standing), reasons[state](send)),
    is: "known"
  }
}

/** Whether a run may send it: one with --retry sends what was rejected. */
const mayBeSent = (known: KnownRow): known is LookedRow => isFree(known, true)

/**
 * What became of each row of a list, also of one that is invalid now, or for this command alone. Who is on the stop list
 * now is so, also if an SMS went out before. A row that did not go out is `repeated` if its recipient got another SMS.
 * --allow-repeats leaves that to rejected and freed ones: by the outcome, people choose whom to write to because they
 * got nothing.
 */
export const rowOutcomes = (list: List, campaign: string) => {
  const outcomesOf = Effect.fnUntraced(function* (some: Array.NonEmptyReadonlyArray<KnownRow>) {
    const others = yield* earlierSends(campaign, some.filter(mayBeSent))
    return Array.map(some, (known): RowOutcome => {
      const { row, standing } = known
      const problem = problemOf(row, list)
      const isInvalid = problem !== undefined
      const found = { row, isInvalid, ...outcomeOf(row, standing, problem) }
      if (row._tag === "ExcludedRow") return { ...found, reason: reasonOf(excluded, found.reason) }
      const other = mayBeSent(known) ? others.get(known.send.key) : undefined
      if (found.is === "impossible" || other === undefined) return found
      // Nothing refuses it: it was not its turn.
      if (found.is === "waiting" && list.allowRepeats) return found
      // Its own reason belongs to the outcome that is no longer there.
      const own = found.reason && `${found.outcome}: ${found.reason}`
      const is = found.is === "waiting" ? repeated : found.is
      return {
        ...found,
        outcome: repeated,
        reason: reasonOf(repeatedProblem(campaign, other), own),
        is
      }
    })
  })
  return Stream.mapArrayEffect(knownRows(list.everyRow, campaign), outcomesOf)
}
