/**
 * The right to make one send, and what is known of earlier ones.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"

/**
 * At most `max` within `per`, of all claims that count in the same scope.
 *
 * @since 0.1.0
 */
export interface Limit {
  /** What is counted together, such as `"messages"` or `"segments of ann"`. */
  readonly scope: string
  /** What the claim counts. */
  readonly amount: number
  readonly max: number
  readonly per: Duration.Duration
}

/**
 * A person's approval, good for one claim.
 *
 * @since 0.1.0
 */
export interface Approval {
  readonly nonce: string
  /** Milliseconds since 1970. Until then it is remembered that it was used. */
  readonly expiresAt: number
}

/**
 * What is to be claimed, and under which conditions.
 *
 * @since 0.1.0
 */
export interface ClaimRequest {
  /** What makes two sends the same. Stored as it is: no number, no text. */
  readonly key: string
  /** Who sends. Empty where there is only one. */
  readonly principal: string
  /** Digests of the fields, which must be the same under the same key. */
  readonly fields: Readonly<Record<string, string>>
  /** The limits that the claim counts towards. A claim without limits is not counted. */
  readonly limits: ReadonlyArray<Limit>
  /** How long the request can take. An older claim without an outcome reads as unknown. */
  readonly staleAfter: Duration.Duration
  /** How long an accepted send holds back another one. Infinite: always. */
  readonly holdAccepted: Duration.Duration
  /** How long an unknown outcome holds back another send. Infinite: until a person decides. */
  readonly holdUnknown: Duration.Duration
  /** Which outcome of an earlier send does not hold this one back: a second send is asked for. */
  readonly over: "nothing" | "unknown" | "accepted"
  /** The approval that the claim uses up. */
  readonly approval?: Approval
}

/**
 * A message that the service accepted.
 *
 * @since 0.1.0
 */
export interface AcceptedMessage {
  readonly message_id: string
  readonly status: string
}

/**
 * A send that the service accepted. `messages` is empty if its response could not be read.
 *
 * @since 0.1.0
 */
export interface AcceptedSend {
  readonly messages: ReadonlyArray<AcceptedMessage>
  /** When that was known, in milliseconds since 1970. */
  readonly at: number
  /** Until when it holds another one back, in milliseconds since 1970. Absent if it always does. */
  readonly until?: number
}

/**
 * The right to make one send. It ends with `settle`.
 *
 * @since 0.1.0
 */
export interface Claim {
  /** Random, so that no other claim is settled with it. */
  readonly id: string
  /** From then on it reads as unknown, in milliseconds since 1970: no request may leave any more. */
  readonly staleAt: number
  readonly holdAccepted: Duration.Duration
  readonly holdUnknown: Duration.Duration
}

/**
 * What stands against a claim, if anything.
 *
 * @since 0.1.0
 */
export type Obstacle =
  /** The key is known with another input: `field` is the first that differs. */
  | { readonly _tag: "Conflict"; readonly field: string }
  /** Another call makes the same send at this moment. */
  | { readonly _tag: "InFlight"; readonly id: string }
  | ({ readonly _tag: "Accepted" } & AcceptedSend)
  /** `first`: an earlier send of the same, which was accepted. */
  | {
      readonly _tag: "Unknown"
      readonly id: string
      readonly since: number
      readonly first?: AcceptedSend
    }
  /** A person decided that it is not sent. */
  | { readonly _tag: "Rejected" }
  /** `retryAfter` is absent if the amount alone is more than the limit. */
  | {
      readonly _tag: "LimitReached"
      readonly limit: Limit
      readonly retryAfter?: Duration.Duration
    }
  /** The question was answered before: approved (`accepted`), or declined. */
  | { readonly _tag: "ApprovalUsed"; readonly accepted: boolean }

/**
 * How a claimed send ended.
 *
 * @since 0.1.0
 */
export type SendSettlement =
  | { readonly _tag: "Accepted"; readonly messages: ReadonlyArray<AcceptedMessage> }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "NotSent" }

/**
 * A send as the journal remembers it, without number and text.
 *
 * @since 0.1.0
 */
export interface KnownSend {
  /** The id of its claim. */
  readonly id: string
  readonly key: string
  readonly principal: string
  /** `"resend"`: unknown, and a person allowed another send. */
  readonly state: "in-flight" | "accepted" | "rejected" | "unknown" | "resend"
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number
  readonly messages: ReadonlyArray<AcceptedMessage>
}
