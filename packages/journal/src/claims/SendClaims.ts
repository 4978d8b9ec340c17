/** Claims on single sends, for custom guards: duplicates, limits, approvals. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  SentSms,
  SendFilter,
  Approval,
  Available,
  Claim,
  ClaimRequest,
  KnownSend,
  Limit,
  Obstacle,
  SendSettlement
} from "./Claim.ts"
import type { Decision } from "../slices/Row.ts"
import type { JournalError } from "../errors/JournalError.ts"

/**
 * The operations that `SendJournal.sendOnce` is built on, for custom guards. Each is atomic across all
 * processes that share the journal.
 */
export class SendClaims extends Context.Service<
  SendClaims,
  {
    /** Returns what `claim` would find, without claiming. */
    readonly look: (request: ClaimRequest) => Effect.Effect<Available | Obstacle, JournalError>
    /**
     * Claims the right to make one send. The claim is on disk before this returns; after a failure,
     * nothing may be sent. The approval is redeemed even if a limit refuses the claim.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<
      | {
          readonly _tag: "Claimed"
          readonly claim: Claim
          /** The SMS that this one is a second copy of. */
          readonly first?: SentSms
        }
      | Obstacle,
      JournalError
    >
    /**
     * Ends a claim, however late. If a person decided in the meantime, `sent` replaces the decision.
     * `not-sent` deletes the claim: it counts towards no limit, and the key has its
     * earlier state again. After a failure, repeat the call.
     */
    readonly settle: (claim: Claim, settlement: SendSettlement) => Effect.Effect<void, JournalError>
    /**
     * Redeems an approval without a claim: as declined, or as approved for several claims. Returns how it
     * was redeemed before; undefined if it was not.
     */
    readonly redeem: (
      approval: Approval,
      isApproved: boolean
    ) => Effect.Effect<"approved" | "declined" | undefined, JournalError>
    /** Returns how much of each limit is used within its period. */
    readonly used: (
      limits: ReadonlyArray<Limit>
    ) => Effect.Effect<ReadonlyArray<number>, JournalError>
    /** Returns the send of a claim; undefined if it did not go out, or was pruned. */
    readonly read: (id: string) => Effect.Effect<KnownSend | undefined, JournalError>
    /**
     * Returns how many sends of the key have an unknown outcome, also those that no longer block another.
     */
    readonly unresolved: (key: string) => Effect.Effect<number, JournalError>
    /** Returns the last `limit` sends, newest first. */
    readonly recent: (
      filter: SendFilter,
      limit: number
    ) => Effect.Effect<ReadonlyArray<KnownSend>, JournalError>
    /**
     * Returns how many sends the filter selects, and when the oldest was claimed, in milliseconds since
     * 1970; undefined without any.
     */
    readonly count: (
      filter: Pick<SendFilter, "principal" | "since">
    ) => Effect.Effect<{ readonly total: number; readonly oldestAt?: number }, JournalError>
    /**
     * Applies a person's decision to the send of a claim. The decision blocks other sends for as long as
     * the unknown outcome would have. Returns whether the outcome was unknown; if not, nothing changes.
     */
    readonly resolve: (id: string, decision: Decision) => Effect.Effect<boolean, JournalError>
    /** Writes to the journal. Fails if a claim would fail because the journal is not available. */
    readonly check: Effect.Effect<void, JournalError>
    /**
     * Returns a keyed digest, which is the same in all processes of one journal and differs between
     * journals.
     */
    readonly digest: (parts: ReadonlyArray<string>) => string
  }
>()("@messaging-topup/journal/claims/SendClaims") {}
