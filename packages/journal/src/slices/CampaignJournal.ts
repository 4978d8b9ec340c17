/** Operations on a whole campaign: its state, its rows, and the rates that processes share. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Decision, Load, NewRow, Row, RowState } from "./Row.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { LoadSuperseded } from "../errors/LoadSuperseded.ts"

/**
 * Whether the rows of a campaign may be sent. A cancelled campaign stays cancelled.
 *
 * `"loading"`: a load has begun and not ended. Rows of earlier loads may be sent, those of this one not.
 */
export type CampaignState = "loading" | "running" | "paused" | "cancelled"

/** How many rows of a campaign are in each state. */
export type RowCounts = Readonly<Record<RowState, number>>

/** The status of a sent row, as the service reports it. */
export interface RowStatus {
  readonly id: number
  /** The service's own text. */
  readonly status: string
  /** Whether the status is final, so that the service is not asked again. */
  readonly isFinal: boolean
}

/** Which rows a person's decision changed. */
export interface ChangedRows {
  /** The keys of the rows that changed. */
  readonly changed: ReadonlyArray<string>
  /**
   * The keys of rows that would be sent again, although the request of an attempt that has ended or is
   * frozen may still start: they were claimed less than `claimDeadline` ago. Decide later.
   */
  readonly refused: ReadonlyArray<string>
}

/** Selects rows of a campaign. */
export interface RowFilter {
  readonly states: ReadonlyArray<RowState>
  /** Selects only rows without a final status. Defaults to false. */
  readonly notFinal?: boolean
}

/** A campaign of the journal. */
export interface CampaignSummary {
  readonly campaign: string
  readonly state: CampaignState
  readonly counts: RowCounts
  /** When the state of a row changed first, in milliseconds since 1970; undefined without rows. */
  readonly first?: number | undefined
  /** When the state of a row changed last. */
  readonly last?: number | undefined
}

/** A row whose key the campaign has. */
export interface KnownRow {
  /** The position of the row in the call, from 0. */
  readonly index: number
  readonly state: RowState
  /** The first field that has another value in the journal. Such a row cannot be loaded. */
  readonly changed?: string
}

/** A row that went out, or may have. A claimed row is one: its request may be in flight. */
export interface WrittenRow {
  readonly id: number
  readonly campaign: string
  readonly recipient: string
  /** When its state changed last, in milliseconds since 1970. */
  readonly at: number
}

/** A turn of a rate that all processes share. */
export interface RateTurn {
  /** Turns of one scope follow each other. */
  readonly scope: string
  /** How much of the rate the turn takes. */
  readonly amount: number
  readonly perSecond: number
}

/** Whether the turns are reserved. */
export interface Reservation {
  readonly isReserved: boolean
  /** If reserved, how long to wait before the turn is used; otherwise, before `reserve` is repeated. */
  readonly wait: Duration.Duration
}

/**
 * Operations on whole campaigns, for all processes that share the journal. Each is atomic, except
 * `cancel`, which ends one slice after the other.
 */
export class CampaignJournal extends Context.Service<
  CampaignJournal,
  {
    /** Returns the state; undefined if the journal has no campaign of this id. */
    readonly state: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /**
     * Begins a load. It replaces a load that has not ended, such as that of a process that was killed, and
     * deletes its rows.
     */
    readonly beginLoad: (campaign: string) => Effect.Effect<Load, JournalError>
    /** Ends a load: its rows may be sent. */
    readonly endLoad: (load: Load) => Effect.Effect<void, JournalError | LoadSuperseded>
    /** Deletes the rows of a load that failed, and the campaign if it has no others. */
    readonly abandonLoad: (load: Load) => Effect.Effect<void, JournalError | LoadSuperseded>
    /**
     * Pauses a campaign: no attempt begins, and running attempts claim no more rows. Returns the state
     * after the call.
     */
    readonly pause: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /**
     * Sets a paused campaign to running. Deliver its open slices again afterwards. Returns the state
     * after the call.
     */
    readonly resume: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /**
     * Stops a campaign permanently. Pending rows become `"rejected"`. Rows in flight become `"unknown"`
     * until their outcome is settled. Returns the state after the call.
     */
    readonly cancel: (campaign: string) => Effect.Effect<CampaignState | undefined, JournalError>
    /**
     * Counts the rows in each state, without rows of a load that has not ended. It reads all rows: about
     * one second for every few million.
     */
    readonly counts: (campaign: string) => Effect.Effect<RowCounts, JournalError>
    /** Returns all campaigns, ordered by id. It reads all rows. */
    readonly list: Effect.Effect<ReadonlyArray<CampaignSummary>, JournalError>
    /**
     * Returns which of some rows the campaign has, and changes nothing. Rows of a load that has not ended
     * are not there. Give a few thousand rows at a time.
     */
    readonly known: (
      campaign: string,
      rows: ReadonlyArray<NewRow>
    ) => Effect.Effect<ReadonlyArray<KnownRow>, JournalError>
    /**
     * Returns at most `limit` rows of all campaigns that went out or may have, whose ids are greater than
     * `after`, ordered by id. To find recipients, read all: each load would pay for an index.
     */
    readonly written: (
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<WrittenRow>, JournalError>
    /** Returns at most `limit` rows whose ids are greater than `after`, ordered by id. */
    readonly page: (
      campaign: string,
      filter: RowFilter,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Row>, JournalError>
    /**
     * Applies a person's decision to rows of unknown outcome. After `"resend"` their slices are open
     * again. Rows of other states do not change.
     */
    readonly resolveRows: (
      campaign: string,
      keys: ReadonlyArray<string>,
      decision: Decision
    ) => Effect.Effect<ChangedRows, JournalError>
    /**
     * Takes rejected rows up again: they are pending, with no tries, and their slices are open. Rows of a
     * cancelled campaign and rows of other states do not change.
     */
    readonly retryRows: (
      campaign: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ChangedRows, JournalError>
    /** Stores the service's statuses of sent rows. Other rows do not change. */
    readonly saveStatuses: (statuses: ReadonlyArray<RowStatus>) => Effect.Effect<void, JournalError>
    /**
     * Reserves the next turn of each of these rates, of all of them or of none. A turn is reserved only
     * shortly before it comes, so that nobody keeps a rate that waits for another one. A reservation cannot
     * be given back.
     */
    readonly reserve: (rates: ReadonlyArray<RateTurn>) => Effect.Effect<Reservation, JournalError>
  }
>()("@messaging-topup/journal/slices/CampaignJournal") {}
