/**
 * The rows of a batch: each is a send of its own.
 */
import type { SendOutcome, SendResult, SendSmsRequest } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type { PlannedSend } from "./PlannedSend.ts"
import { type Refusal, unknownNotResent } from "./Refusal.ts"
import type { EndedSend, Sent } from "./SendEnd.ts"
import type { LookResult } from "./SendMemory.ts"

export interface BatchRow {
  /** Its place in the batch, from 1. */
  readonly number: number
  readonly request: SendSmsRequest
  readonly planned: PlannedSend
}

/** How a row ended. */
export interface RowEnd {
  readonly outcome: SendOutcome
  /** Whether it was sent by an earlier call. */
  readonly isEarlier: boolean
  readonly results: ReadonlyArray<SendResult>
  /** Why it did not go out, or is unknown. Absent if its turn did not come. */
  readonly refusal?: Refusal
}

export const notStarted: RowEnd = { outcome: "not-sent", isEarlier: false, results: [] }

export const failedRow = (outcome: RowEnd["outcome"], refusal: Refusal): RowEnd => ({
  outcome,
  isEarlier: false,
  results: refusal.results ?? [],
  refusal
})

export const sentRow = ({ duplicate, results }: Sent): RowEnd => ({
  outcome: "sent",
  isEarlier: duplicate !== undefined,
  results
})

/** Returns how a row ended that an earlier call sent, or may have sent. */
const earlierEnd = (ended: EndedSend, canBeAsked: boolean): RowEnd => {
  switch (ended.outcome) {
    case "sent":
      return { outcome: "sent", isEarlier: true, results: ended.results }
    case "unknown":
      return failedRow("unknown", unknownNotResent(ended.first, canBeAsked))
    case "not-sent":
      return failedRow("not-sent", ended.refusal)
  }
}

/** What is known of a row before anything of its batch is sent. */
export type Standing =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Ended"; readonly end: RowEnd }
  /** Another call is sending it. */
  | { readonly _tag: "Elsewhere"; readonly end: Effect.Effect<RowEnd, Refusal> }

export const standingOf = (look: LookResult, canBeAsked: boolean): Standing => {
  const endOf = (ended: EndedSend) => earlierEnd(ended, canBeAsked)
  switch (look._tag) {
    case "Available":
      // A batch resends nothing that is unknown, however long ago.
      return look.unresolved
        ? { _tag: "Ended", end: endOf({ outcome: "unknown" }) }
        : { _tag: "Open" }
    case "Duplicate":
      return { _tag: "Ended", end: endOf(look.ended) }
    case "InFlight":
      return { _tag: "Elsewhere", end: Effect.map(look.ended, endOf) }
    // The limits are checked for the whole batch, and its rows have no approval of their own.
    case "LimitReached":
    case "ApprovalUsed":
      return { _tag: "Open" }
  }
}

/** Writes row numbers as ranges, such as `3, 7, 13-40`. They must be in order. */
export const rangesOf = (numbers: ReadonlyArray<number>): string => {
  const ranges: Array<[number, number]> = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ")
}
