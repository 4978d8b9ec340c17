/**
 * What a send asks of the memory: the right to go out once.
 */
import type { SendResult } from "@messaging-topup/core"
import type { Name } from "../settings/Options.ts"

/** Why a send may only go out after a person's approval. */
export type SendKind =
  | "first"
  /** A second send of an SMS whose first send is unknown. */
  | "resend"
  /** A second copy of an SMS that went out. */
  | "copy"
  /** A second copy of an SMS of which nothing is known. */
  | "again"

/** A limit of what goes out within a time, for all who share its scope. */
export interface SendLimit {
  /** Whose sends count: a principal's, or everyone's. */
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
  /** As it is in the request: the journal keeps no numbers. */
  readonly recipient: string
  /** What the send counts for its limits. */
  readonly messages: number
  readonly segments: number
  readonly limits: ReadonlyArray<SendLimit>
  /** As what it is sent: a first send, or over the outcome of an earlier one. */
  readonly kind: SendKind
  /** The person's approval that the claim rests on. Claiming redeems it. */
  readonly approval?: Approval
}

export interface Approval {
  readonly nonce: string
  readonly expiresAtMillis: number
}

/** A send that went out for sure. */
export interface SentOutcome {
  readonly _tag: "Sent"
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  readonly atMillis: number
  /** How long it holds back the same SMS, where that is not the deduplication window. */
  readonly untilMillis?: number
}
