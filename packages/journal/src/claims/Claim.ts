/** The types of claims: the right to make one send, and the record of earlier sends. */
import type * as Duration from "effect/Duration"

/** A limit: all claims in the same scope add up to at most `max` within the period `per`. */
export interface Limit {
  /** Names what is counted together, such as `"messages"` or `"segments of ann"`. */
  readonly scope: string
  /** How much this claim adds. */
  readonly amount: number
  readonly max: number
  readonly per: Duration.Duration
}

/** A person's approval, valid for one claim. */
export interface Approval {
  readonly nonce: string
  /** Until when the journal remembers that the approval was used, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** A request for a claim, with its conditions. */
export interface ClaimRequest {
  /** Two sends with the same key count as the same send. Stored in plain text: no number, no SMS text. */
  readonly key: string
  /** Who sends. Empty where there is only one sender. */
  readonly principal: string
  /** Digests of the fields, which must be the same under the same key. */
  readonly fields: Readonly<Record<string, string>>
  /** The limits that the claim counts towards. A claim without limits is not counted. */
  readonly limits: ReadonlyArray<Limit>
  /** How long the request can take. After that, a claim without an outcome reads as unknown. */
  readonly staleAfter: Duration.Duration
  /** How long a sent SMS blocks another send with the same key. Infinite: always. */
  readonly holdSent: Duration.Duration
  /**
   * How long an unknown outcome blocks another send with the same key. Infinite: until a person decides.
   */
  readonly holdUnknown: Duration.Duration
  /** The outcome of an earlier send that does not block this claim, because a second send is wanted. */
  readonly over: "nothing" | "unknown" | "sent"
  /** The approval that the claim redeems. */
  readonly approval?: Approval
}

/** A message that the service accepted. */
export interface SentMessage {
  readonly message_id: string
  readonly status: string
}

/**
 * An SMS that was sent. `messages` is empty if the response could not be read, or if a person decided that
 * it was sent.
 */
export interface SentSms {
  readonly messages: ReadonlyArray<SentMessage>
  /**
   * When its response was written down, in milliseconds since 1970; when it was claimed, if a person decided
   * that it was sent.
   */
  readonly at: number
  /** Until when it blocks another send, in milliseconds since 1970. Absent if it always does. */
  readonly until?: number
}

/** The right to make one send. It ends with `settle`. */
export interface Claim {
  /** A random id, so that it cannot settle another claim. */
  readonly id: string
  /**
   * From this time on the claim reads as unknown, and its request must not start. Milliseconds since
   * 1970.
   */
  readonly staleAt: number
  readonly holdSent: Duration.Duration
  readonly holdUnknown: Duration.Duration
}

/** A claim would be granted. */
export interface Available {
  readonly _tag: "Available"
  /** Whether a send of the key has an unknown outcome, even one that no longer blocks another. */
  readonly unresolved: boolean
}

/** The reason why a claim is not granted. */
export type Obstacle =
  /** The journal has the key with another input. `field` is the first field that differs. */
  | { readonly _tag: "Conflict"; readonly field: string }
  /** Another call is making the same send right now. */
  | { readonly _tag: "InFlight"; readonly id: string }
  | ({ readonly _tag: "Sent" } & SentSms)
  /**
   * The outcome of the last send is unknown. `first` is an earlier SMS with the key that was sent.
   */
  | {
      readonly _tag: "Unknown"
      readonly id: string
      readonly since: number
      readonly first?: SentSms
    }
  /** A person decided that this SMS is not sent. */
  | { readonly _tag: "Rejected" }
  /** `retryAfter` is absent if the claim's own amount exceeds the limit. */
  | {
      readonly _tag: "LimitReached"
      readonly limit: Limit
      readonly retryAfter?: Duration.Duration
    }
  /** The approval was redeemed before: as approved, or as declined. */
  | { readonly _tag: "ApprovalUsed"; readonly approved: boolean }

/** How a claimed send ended. */
export type SendSettlement =
  | { readonly outcome: "sent"; readonly messages: ReadonlyArray<SentMessage> }
  | { readonly outcome: "unknown" }
  | { readonly outcome: "not-sent" }

/** A send in the journal, without its number and text. */
export interface KnownSend {
  /** The id of its claim. */
  readonly id: string
  readonly key: string
  readonly principal: string
  /** `"resend"`: the outcome is unknown, and a person allowed another send. */
  readonly state: "in-flight" | "sent" | "rejected" | "unknown" | "resend"
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number
  readonly messages: ReadonlyArray<SentMessage>
}

/** Selects sends. Without any field, all are selected. */
export interface SendFilter {
  readonly principal?: string
  /** Only those of unknown outcome. */
  readonly unknown?: boolean
  /** Only those that were claimed at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Only those that are older than the send with this id. */
  readonly before?: string
}
