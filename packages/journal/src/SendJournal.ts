/**
 * What is to be sent and what was sent, written down before each request leaves.
 *
 * @since 0.1.0
 */
import type {
  InvalidInput,
  MessagingTopup,
  SendSmsError,
  SendSmsRequest
} from "@messaging-topup/core"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { AcceptedMessage } from "./Claim.ts"
import type { CampaignStopped } from "./errors/CampaignStopped.ts"
import type { JournalLocked } from "./errors/JournalLocked.ts"
import type { JournalUnavailable } from "./errors/JournalUnavailable.ts"
import type { OutcomeUnknown } from "./errors/OutcomeUnknown.ts"
import type { RowConflict } from "./errors/RowConflict.ts"
import type { SendRejected } from "./errors/SendRejected.ts"
import type { SliceNotFound } from "./errors/SliceNotFound.ts"
import type { Attempt, Decision, NewRow, Row, Settlement } from "./Row.ts"

/**
 * What every operation of the journal can fail with. The call that failed sent nothing.
 *
 * @since 0.1.0
 */
export type JournalError = JournalLocked | JournalUnavailable

/**
 * What `sendOnce` fails with. A `SendSmsError` is of this call's own request: ask `sendOutcome`. After
 * each of the others, this call sent nothing.
 *
 * @since 0.1.0
 */
export type SendOnceError =
  | JournalError
  | OutcomeUnknown
  | RowConflict
  | SendRejected
  | SendSmsError

/**
 * The SMS of a key was accepted, now or earlier.
 *
 * @since 0.1.0
 */
export interface SentOnce {
  /** Empty if the service's response could not be read, or a person decided that it was accepted. */
  readonly messages: ReadonlyArray<AcceptedMessage>
  /** Whether an earlier call sent it, so that this one sent nothing. */
  readonly isEarlier: boolean
}

/**
 * An attempt that has begun, and the rows that it may claim.
 *
 * @since 0.1.0
 */
export interface Begun {
  readonly attempt: Attempt
  readonly rows: ReadonlyArray<Row>
}

/**
 * What `prune` deletes: what is settled, or what nobody tries to find out any more.
 *
 * @since 0.1.0
 */
export type Prunable = "settled" | "unknown"

/**
 * The journal. An SMS is never sent twice without a person's decision, whatever crashes, freezes or is
 * delivered twice. It is sent at most once, and not exactly once: a send of unknown outcome stays
 * `"unknown"`.
 *
 * @since 0.1.0
 */
export class SendJournal extends Context.Service<
  SendJournal,
  {
    /**
     * Adds rows to a campaign, in new slices of at most `rowsPerSlice`. Rows whose keys are known with
     * the same content are left as they are, so that an append may be repeated. All rows of a call are
     * added or none; a call holds its rows in memory: append a large campaign in several.
     */
    readonly append: (
      campaign: string,
      rows: ReadonlyArray<NewRow>
    ) => Effect.Effect<void, InvalidInput | JournalError | RowConflict>
    /** The ids of the slices that are not done. */
    readonly openSlices: (campaign: string) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /** The ids of all slices. */
    readonly slices: (campaign: string) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /** The rows of a slice, with what became of them. */
    readonly rows: (slice: number) => Effect.Effect<ReadonlyArray<Row>, JournalError>
    /**
     * Begins an attempt at a slice, and ends the right to claim of every earlier one. What those claimed
     * and did not settle becomes `"unknown"`. Returns the rows that are pending.
     */
    readonly begin: (
      slice: number
    ) => Effect.Effect<Begun, CampaignStopped | JournalError | SliceNotFound>
    /**
     * Settles rows that this attempt claimed, and claims others, in one step. Returns the ids that are
     * claimed: a request may leave for those and no others, once for each. Settlements count after a
     * later attempt has begun, too; claims do not. After a failure, repeat it as it was: that changes
     * nothing that is done already.
     */
    readonly exchange: (
      attempt: Attempt,
      turn: {
        readonly settle: ReadonlyArray<Settlement>
        readonly claim: ReadonlyArray<number>
      }
    ) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /**
     * Ends an attempt. Returns whether the slice is done: this attempt is the last that began, and no row
     * is pending or attempting. If not, the slice needs another attempt.
     */
    readonly end: (attempt: Attempt) => Effect.Effect<boolean, JournalError>
    /**
     * A person's decision on a row of unknown outcome. After `"resend"` its slice is open again. Returns
     * whether the outcome was unknown; if not, nothing is changed.
     */
    readonly resolveRow: (
      campaign: string,
      key: string,
      decision: Decision
    ) => Effect.Effect<boolean, JournalError>
    /**
     * Sends an SMS once for a key, in this process or another: every later caller gets the first result.
     * A send that did not go out leaves the key free. An unknown outcome stays unknown until `resolve`.
     * The key is stored as it is; number and text are not.
     */
    readonly sendOnce: (
      key: string,
      request: SendSmsRequest
    ) => Effect.Effect<SentOnce, SendOnceError, MessagingTopup>
    /**
     * A person's decision on a single send of unknown outcome. After `"resend"` the next `sendOnce` of
     * the key sends. Returns whether the outcome was unknown; if not, nothing is changed.
     */
    readonly resolve: (key: string, decision: Decision) => Effect.Effect<boolean, JournalError>
    /**
     * Deletes rows and single sends that were settled, or became unknown, longer ago than that; rows only
     * of slices that are done. What it deletes is forgotten: the same key sends again. Returns how many it
     * deleted.
     */
    readonly prune: (
      olderThan: Duration.Duration,
      what: Prunable
    ) => Effect.Effect<number, JournalError>
  }
>()("@messaging-topup/journal/SendJournal") {}
