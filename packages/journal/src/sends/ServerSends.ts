/** The sends of a server that asks a person: one key at a time, within limits. */
import type { SendSmsRequest } from "@messaging-topup/core"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { JournalError } from "../model/Errors.ts"
import type { Claim, KeyedSend, KnownSend, Standing } from "../model/Send.ts"

/** A limit on what the server's sends add up to within a period: those that are claimed, unknown or sent. */
export interface Limit {
  readonly counts: "messages" | "segments"
  /** Whose sends count: those of all callers, or those of the caller who asks. */
  readonly of: "everyone" | "caller"
  readonly max: number
  readonly per: Duration.Duration
}

/** What counts towards limits: one SMS, or the rows of a batch together. */
export interface Amount {
  readonly caller: string
  readonly messages: number
  readonly segments: number
}

/** How far a limit is used. */
export interface Usage {
  readonly limit: Limit
  /** Without the amount that was asked for. */
  readonly used: number
  /** Whether the amount exceeds the limit now. */
  readonly isExceeded: boolean
  /** When the amount fits. Absent if it fits now, or if it alone is more than the limit. */
  readonly retryAfter?: Duration.Duration
}

/** A person's approval, valid for one claim. */
export interface Approval {
  readonly nonce: string
  /** For how long the journal remembers that the approval was used: clocks differ, so it is no time. */
  readonly validFor: Duration.Duration
}

/** A request for a claim, with its conditions. */
export interface ClaimRequest {
  /** Its key is stored as it is given: a keyed digest without a slash, so that it has no number and no text. */
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  readonly caller: string
  /** The batch of which it is a row. */
  readonly batch?: string | undefined
  readonly segments: number
  /** For how long a sent SMS counts as a repetition for who asks. */
  readonly window: Duration.Duration
  /** For how long it counts at least for everybody once it was sent: that of a batch, for a day. */
  readonly countsFor?: Duration.Duration
  /** The attempt that a person approved, and what stood in its way. Absent: nothing may. */
  readonly again?: Pick<Standing, "attempt" | "state">
  readonly limits: ReadonlyArray<Limit>
  readonly approval?: Approval
  /** How long one request may take: `timeoutMillis` of the client. */
  readonly timeoutMillis: number
}

/** The right to make one send of the server. */
export interface ServerClaim extends Claim {
  readonly id: number
  /** Whether its request may still start. Pass it to `MayStart`. */
  readonly mayStart: () => boolean
}

/** How a request for a claim ended. */
export type ClaimResult =
  /** `standing` is how the key stood before: what the new SMS is sent over. */
  | { readonly _tag: "Claimed"; readonly claim: ServerClaim; readonly standing: Standing }
  /** The key cannot be claimed as it stands. */
  | { readonly _tag: "Blocked"; readonly standing: Standing }
  /** The exceeded limit that takes longest to fit. */
  | { readonly _tag: "LimitReached"; readonly usage: Usage }
  /** The approval was used before: as approved, or as declined. */
  | { readonly _tag: "ApprovalUsed"; readonly wasApproved: boolean }

/** Selects sends of the server. */
export interface SendFilter {
  readonly caller?: string
  /** `recipientDigest` of a number. */
  readonly recipient?: string
  readonly batch?: string
  /** Only those that were claimed at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Only those of unknown outcome. */
  readonly isUnknown?: boolean
  readonly limit: number
}

/** The sends of the server. Each operation is atomic over all processes that share the journal. */
export interface ServerSends {
  /**
   * Returns how each key stands for who looks with this window, in the order of the keys: so long a sent SMS
   * counts as a repetition.
   */
  readonly look: (
    sends: ReadonlyArray<KeyedSend>,
    window: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<Standing>, JournalError>
  /** Returns how far each limit is used, in the order of the limits. */
  readonly usage: (
    limits: ReadonlyArray<Limit>,
    amount: Amount
  ) => Effect.Effect<ReadonlyArray<Usage>, JournalError>
  /**
   * Claims the right to make one send. The claim is on disk before this returns; after a failure, nothing
   * may be sent. An approval is redeemed even if a limit refuses the claim. What was sent or may have been
   * is told rather than that the approval was used.
   */
  readonly claim: (request: ClaimRequest) => Effect.Effect<ClaimResult, JournalError>
  /**
   * Redeems an approval without a claim: as declined, or as approved for several claims. Returns how it
   * was redeemed before; undefined if it was not.
   */
  readonly redeem: (
    approval: Approval,
    isApproved: boolean
  ) => Effect.Effect<"approved" | "declined" | undefined, JournalError>
  /** Returns a send; undefined if it left nothing, or was pruned. */
  readonly read: (id: number) => Effect.Effect<KnownSend | undefined, JournalError>
  /** Returns the last sends, newest first, at most `limit` of them. */
  readonly recent: (filter: SendFilter) => Effect.Effect<ReadonlyArray<KnownSend>, JournalError>
  /** Returns how many sends the filter selects, whatever its limit. */
  readonly count: (filter: Omit<SendFilter, "limit">) => Effect.Effect<number, JournalError>
  /** Writes down that who looks has this window, so that nothing is deleted that counts for it. */
  readonly keep: (window: Duration.Duration) => Effect.Effect<void, JournalError>
}
