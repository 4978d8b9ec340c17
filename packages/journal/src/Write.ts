/** What a write is made of: settlements, and claims with their times. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { jsonOf } from "./database/StoredRows.ts"
import { type Names, ownerOf } from "./model/Names.ts"
import type { Settlement } from "./model/Send.ts"

/** A request starts at most so long after its claim. */
export const deadlineMillis = 10_000

/** The end of a request is written down some time after its time-out, and clocks differ. */
const marginMillis = 5000

/**
 * Begins the time of a claim, before it is written. Returns whether its request may still start: the process
 * may have been frozen since, and then a person may have decided. A clock that was set back proves nothing.
 */
export const beginClaim = Effect.map(Clock.Clock, (clock) => {
  const claimedAt = clock.currentTimeMillisUnsafe()
  return (): boolean => {
    const now = clock.currentTimeMillisUnsafe()
    return now >= claimedAt && now - claimedAt <= deadlineMillis
  }
})

/** What only a server knows of a send. */
export interface Facts {
  readonly caller: string
  /** The batch of which it is a row. */
  readonly batch: string | undefined
  readonly segments: number
}

/** What a claim stores of a request. */
export type Described = ReturnType<Names["describe"]>

/** All that a claim stores of a send. What its owner does not know is absent, and null in the table. */
export interface NewClaim extends Described, Partial<Facts> {
  readonly attempt: number
}

/** A claim that is refused if it would be a second SMS to somebody, unless that is allowed. */
export interface RowToClaim extends NewClaim {
  /** Whether it may be a second SMS to its recipient. */
  readonly mayRepeat: boolean
}

/** What all claims of one write have in common. */
export interface ClaimOptions {
  /** A random text. If the write is repeated after a failure, it is the same. */
  readonly ticket: string
  /** `newestId` when the ticket was made. Absent: what is claimed proves nothing. */
  readonly newestId?: number
  /** How long one request may take: `requestMillis` of the client. */
  readonly timeoutMillis: number
  /** The campaign of which they are rows. */
  readonly campaign?: string | undefined
}

/** One write: settlements, and claims of one campaign, or of none. */
export interface Write extends ClaimOptions {
  readonly settle: ReadonlyArray<Settlement>
  readonly claim: ReadonlyArray<RowToClaim>
}

/** What a write did. */
export interface Written {
  /** The id of each claim, by its key. */
  readonly claimed: ReadonlyMap<string, number>
  /**
   * How many settlements found no row of their claim. Nobody deletes the row of a claim whose request may run, but who
   * prunes what is unknown: so the journal was replaced by an older copy.
   */
  readonly missing: number
  /** Whether a claim got an id that is not new: so the journal was replaced by an older copy, too. */
  readonly isOlderCopy: boolean
  /** Whether the campaign was pruned: then nothing was claimed, and nothing of it is there. */
  readonly isPruned: boolean
}

/** Removes what a database cannot store, so that a text never prevents a settlement. */
const storable = (value: string): string => value.replaceAll("\0", "").toWellFormed()

/** A settlement, as the statements of a write read it. */
export const settledOf = ({ claim, stored }: Settlement) => ({
  ...claim,
  state: stored.state,
  messages: stored.state === "sent" ? jsonOf(stored.messages) : null,
  reason: "reason" in stored ? storable(stored.reason) : null
})

/** The parameters of the statement that claims. In the order of the keys, so that no two writes wait for each other's rows. */
export const paramsOf = (
  claims: ReadonlyArray<NewClaim>,
  { campaign, timeoutMillis, ticket }: ClaimOptions
) => ({
  claims: JSON.stringify(
    claims
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map((each) => ({ ...each, owner: ownerOf(each.key) }))
  ),
  ticket,
  // After this time, a claim without an outcome reads as unknown.
  staleAfter: deadlineMillis + timeoutMillis + marginMillis,
  campaign: campaign ?? null
})
