/**
 * Claims on single sends, for guards of one's own: duplicates, limits, approvals.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type {
  AcceptedSend,
  Approval,
  Claim,
  ClaimRequest,
  KnownSend,
  Obstacle,
  SendSettlement
} from "./Claim.ts"
import type { Decision } from "./Row.ts"
import type { JournalError } from "./SendJournal.ts"

/**
 * What `SendJournal.sendOnce` is made of. Each operation is one atomic step, in all processes that share
 * the journal.
 *
 * @since 0.1.0
 */
export class SendClaims extends Context.Service<
  SendClaims,
  {
    /** What would stand against the claim, without claiming. */
    readonly look: (request: ClaimRequest) => Effect.Effect<Obstacle | undefined, JournalError>
    /**
     * Claims the right to send. It is on disk before this returns: after a failure, nothing may be sent.
     * An approval is used up even if a limit stands against the claim.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<
      | {
          readonly _tag: "Claimed"
          readonly claim: Claim
          /** The accepted send that this one is a second copy of. */
          readonly first?: AcceptedSend
        }
      | Obstacle,
      JournalError
    >
    /**
     * Ends a claim, however late. What the service said counts more than what a person decided
     * meanwhile. `NotSent` forgets the claim: it counts towards no limit, and what was known of the key
     * before is known again. After a failure, repeat it.
     */
    readonly settle: (claim: Claim, settlement: SendSettlement) => Effect.Effect<void, JournalError>
    /** Uses a question up without a claim, when a person declined. Returns how it was answered before. */
    readonly redeem: (
      approval: Approval
    ) => Effect.Effect<"accepted" | "declined" | undefined, JournalError>
    /** What became of a claim; undefined if its send did not go out. */
    readonly read: (id: string) => Effect.Effect<KnownSend | undefined, JournalError>
    /** Whether a send of the key is of unknown outcome, whether or not it still holds others back. */
    readonly isUnresolved: (key: string) => Effect.Effect<boolean, JournalError>
    /** The last sends, newest first, at most `limit`. `unknown`: only those of unknown outcome. */
    readonly recent: (
      filter: { readonly principal?: string; readonly unknown?: boolean },
      limit: number
    ) => Effect.Effect<ReadonlyArray<KnownSend>, JournalError>
    /**
     * A person's decision on the send of a claim, which counts for as long as the unknown outcome would
     * have. Returns whether its outcome was unknown; if not, nothing is changed.
     */
    readonly resolve: (id: string, decision: Decision) => Effect.Effect<boolean, JournalError>
    /** A digest that is the same in all processes of the journal, and nowhere else. */
    readonly digest: (parts: ReadonlyArray<string>) => string
  }
>()("@messaging-topup/journal/SendClaims") {}
