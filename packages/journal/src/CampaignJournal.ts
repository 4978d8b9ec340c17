/**
 * What is done with a campaign as a whole, beside the attempts at its slices.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Decision, Row, RowState } from "./Row.ts"
import type { JournalError } from "./SendJournal.ts"

/**
 * Whether the rows of a campaign may be sent. A cancelled one stays cancelled.
 *
 * @since 0.1.0
 */
export type CampaignState = "running" | "paused" | "cancelled"

/**
 * How many rows of a campaign are in each state.
 *
 * @since 0.1.0
 */
export type RowCounts = Readonly<Record<RowState, number>>

/**
 * What the service says of an accepted row.
 *
 * @since 0.1.0
 */
export interface RowStatus {
  readonly id: number
  /** In the service's own words. */
  readonly status: string
  /** Whether it is not asked for again. */
  readonly isFinal: boolean
}

/**
 * Which rows of a campaign are wanted.
 *
 * @since 0.1.0
 */
export interface RowFilter {
  readonly states: ReadonlyArray<RowState>
  /** Only rows without a final status. */
  readonly notFinal?: boolean
}

/**
 * Campaigns as a whole. Each operation is one step, in all processes that share the journal.
 *
 * @since 0.1.0
 */
export class CampaignJournal extends Context.Service<
  CampaignJournal,
  {
    /** Undefined if nothing was appended to it. */
    readonly state: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /** No attempt begins, and none that runs claims another row. Returns the state from then on. */
    readonly pause: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /** Lets a paused campaign go on: deliver its open slices again. Returns the state from then on. */
    readonly resume: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /**
     * As `pause`, for ever. What is pending becomes `"rejected"`, and what is under way `"unknown"` until
     * its outcome comes.
     */
    readonly cancel: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /** Reads all rows of the campaign: a second for each few million. */
    readonly counts: (campaign: string) => Effect.Effect<RowCounts, JournalError>
    /** At most `limit` rows in the order of their ids, from the first id after `after` on. */
    readonly page: (
      campaign: string,
      filter: RowFilter,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Row>, JournalError>
    /**
     * A person's decision on rows of unknown outcome, in one step. After `"resend"` their slices are
     * open again. Returns the keys of those whose outcome was unknown; the others are left as they are.
     */
    readonly resolveRows: (
      campaign: string,
      keys: ReadonlyArray<string>,
      decision: Decision
    ) => Effect.Effect<ReadonlyArray<string>, JournalError>
    /** Keeps what the service says of rows; those that are not accepted are left as they are. */
    readonly saveStatuses: (statuses: ReadonlyArray<RowStatus>) => Effect.Effect<void, JournalError>
    /**
     * Reserves the next `amount` of a rate that all processes share, and returns how long to wait until
     * its turn comes. The reserved time is used up, whatever is done with it.
     */
    readonly reserve: (
      scope: string,
      amount: number,
      perSecond: number
    ) => Effect.Effect<Duration.Duration, JournalError>
  }
>()("@messaging-topup/journal/CampaignJournal") {}
