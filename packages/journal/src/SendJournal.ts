/** The journal: each send is written down before its request starts. */
import type { InvalidInput, MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { SendOnceError, SentOnce } from "./claims/SendOnce.ts"
import type { CampaignStopped } from "./errors/CampaignStopped.ts"
import type { JournalError } from "./errors/JournalError.ts"
import type { LoadSuperseded } from "./errors/LoadSuperseded.ts"
import type { RowConflict } from "./errors/RowConflict.ts"
import type { RowRefused } from "./errors/RowRefused.ts"
import type { SliceNotFound } from "./errors/SliceNotFound.ts"
import type { Attempt, Decision, Load, NewRow, Row, Settlement } from "./slices/Row.ts"

/**
 * The journal. It never sends an SMS twice without a person's decision, even if processes crash or freeze
 * or a queue delivers a slice twice. This is at-most-once, not exactly-once: a send of unknown outcome
 * stays `"unknown"`.
 */
export class SendJournal extends Context.Service<
  SendJournal,
  {
    /**
     * Adds rows to a campaign, in new slices of at most `rowsPerSlice`. A row whose key the journal has
     * with the same content is skipped, so an append may be repeated. A call adds all its rows or none,
     * and holds them in memory: split a large campaign into several calls, and give them one `load`, so that
     * nothing is sent before the last row is in.
     */
    readonly append: (
      campaign: string,
      rows: ReadonlyArray<NewRow>,
      load?: Load
    ) => Effect.Effect<
      void,
      InvalidInput | JournalError | LoadSuperseded | RowConflict | RowRefused
    >
    /** Returns the ids of the slices that are not done. */
    readonly openSlices: (campaign: string) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /** Returns the ids of all slices. */
    readonly slices: (campaign: string) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /** Returns the rows of a slice, with their states. */
    readonly rows: (slice: number) => Effect.Effect<ReadonlyArray<Row>, JournalError>
    /**
     * Begins an attempt at a slice. Earlier attempts can no longer claim rows. Rows that they claimed and
     * did not settle become `"unknown"`. Returns the new attempt, and the pending rows.
     */
    readonly begin: (slice: number) => Effect.Effect<
      {
        readonly attempt: Attempt
        readonly campaign: string
        readonly rows: ReadonlyArray<Row>
      },
      CampaignStopped | JournalError | SliceNotFound
    >
    /**
     * Settles rows that this attempt claimed, and claims others, in one step. Returns the claimed ids:
     * start one request for each of them, and for no other row. After a later attempt has begun,
     * settlements still count, but nothing can be claimed. After a failure, repeat the call with the same
     * arguments; what was already written does not change.
     */
    readonly exchange: (
      attempt: Attempt,
      turn: {
        readonly settle: ReadonlyArray<Settlement>
        readonly claim: ReadonlyArray<number>
      }
    ) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /**
     * Ends an attempt. Returns whether the slice is done: no later attempt has begun, and no row is
     * pending or attempting. If it is not done, it needs another attempt.
     */
    readonly end: (attempt: Attempt) => Effect.Effect<boolean, JournalError>
    /**
     * Applies a person's decision to a row of unknown outcome. After `"resend"` its slice is open again.
     * Returns whether the row changed: not if its outcome was known, nor, for `"resend"`, if its request may
     * still start, less than `claimDeadline` after its claim.
     */
    readonly resolveRow: (
      campaign: string,
      key: string,
      decision: Decision
    ) => Effect.Effect<boolean, JournalError>
    /**
     * Sends an SMS once for a key, across all processes: every later caller gets the first result. After
     * a send that did not go out, the next caller sends. An unknown outcome stays unknown until
     * `resolve`. The key is stored in plain text; number and SMS text are not stored.
     */
    readonly sendOnce: (
      key: string,
      request: SendSmsRequest
    ) => Effect.Effect<SentOnce, SendOnceError, MessagingTopup>
    /**
     * Applies a person's decision to a single send of unknown outcome. After `"resend"` the next
     * `sendOnce` of the key sends. Returns whether the outcome was unknown; if not, nothing changes.
     */
    readonly resolve: (key: string, decision: Decision) => Effect.Effect<boolean, JournalError>
    /**
     * Deletes rows and single sends that were settled, or became unknown, longer ago than `olderThan`. It
     * deletes only rows of slices that are done. A deleted key is forgotten: the same key sends again.
     * Returns how many were deleted.
     */
    readonly prune: (
      olderThan: Duration.Duration,
      what: "settled" | "unknown"
    ) => Effect.Effect<number, JournalError>
  }
>()("@messaging-topup/journal/SendJournal") {}
