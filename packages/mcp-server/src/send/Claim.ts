/**
 * The claim of a send: it asks `SendMemory` for the right to go out once.
 */
import type { SendResult } from "@messaging-topup/core"
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

/** A limit on messages per hour or segments per day, for all callers in its scope. */
export interface SendLimit {
  /** Whose sends count: those of one policy entry, of one principal, or of everyone. */
  readonly scope: string
  readonly counts: "messages" | "segments"
  readonly limit: number
  /** The option that sets it. */
  readonly option: Name
}

export interface Claim {
  /** The digest of principal, recipient, text, sender and schedule. */
  readonly key: string
  readonly principal: string
  /** As in the request. The journal stores no numbers, so results take it from here. */
  readonly recipient: string
  /** How many messages and segments the send adds to its limits. */
  readonly messages: number
  readonly segments: number
  readonly limits: ReadonlyArray<SendLimit>
  readonly kind: SendKind
  /** The person's approval of this send. Claiming redeems it. */
  readonly approval?: Approval
}

export interface Approval {
  readonly nonce: string
  readonly expiresAtMillis: number
}

/** A send that certainly went out. */
export interface SentOutcome {
  readonly _tag: "Sent"
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  readonly atMillis: number
  /** Until when it blocks the same SMS, if that differs from the deduplication window. */
  readonly untilMillis?: number
}
