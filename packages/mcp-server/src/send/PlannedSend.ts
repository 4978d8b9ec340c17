/**
 * A send that the guards check: what it is, what it counts towards limits, and what the caller asked for.
 * And the copy that an earlier call sent.
 */
import type { SendResult } from "@messaging-topup/core"
import type { Approval } from "@messaging-topup/journal"
import type { Name } from "../Options.ts"

/** The kind of a send. Every kind but `first` always needs a person's approval. */
export type SendKind =
  | "first"
  /** A second send of an SMS whose first send has an unknown outcome. */
  | "resend"
  /** A second copy of an SMS that went out. */
  | "copy"
  /** A second copy was asked for, and no first copy is remembered. */
  | "again"

/** The scope of the limits that all callers share. */
export const everyone = "everyone"

/** Who approved a send: a person who was asked by this server, or nobody. */
export type ApprovedBy = "person" | "none"

/** A limit on messages per hour or segments per day, for all callers in its scope. */
export interface SendLimit {
  /** Whose sends count: those of one policy entry, of one principal, or of everyone. */
  readonly scope: string
  readonly counts: "messages" | "segments"
  readonly limit: number
  /** The option that sets it. */
  readonly option: Name
}

export interface PlannedSend {
  /** The digest of principal, recipient, text, sender and schedule. */
  readonly key: string
  readonly principal: string
  /** As in the request. The journal stores no numbers, so results take it from here. */
  readonly recipient: string
  /** How many segments the send adds to its limits. */
  readonly segments: number
  /** How many SMS it adds to its limits: 1, unless it stands for all rows of a batch. */
  readonly messages?: number
  readonly limits: ReadonlyArray<SendLimit>
  readonly kind: SendKind
  readonly approvedBy: ApprovedBy
  /** Whether it is a row of a batch: the call of a batch can be repeated for as long as its unknown rows are held. */
  readonly inBatch?: true
  /** The person's approval of this send. Claiming redeems it. */
  readonly approval?: Approval
}

/** A copy of an SMS that certainly went out. */
export interface SentCopy {
  readonly outcome: "sent"
  /** Empty if the response could not be read. */
  readonly results: ReadonlyArray<SendResult>
  readonly atMillis: number
  /** Until when it blocks the same SMS, if that differs from the deduplication window. */
  readonly untilMillis?: number
}
