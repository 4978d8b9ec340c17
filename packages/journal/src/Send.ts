/** What the journal knows of a send. */

/** A message that the service accepted. */
export interface SentMessage {
  readonly message_id: string
  readonly status: string
}

/**
 * How a send stands.
 *
 * - `"in-flight"`: claimed, and its request may run.
 * - `"sent"`: the service accepted it, or a person decided so.
 * - `"unknown"`: it may have gone out. Only a person's decision sends it again.
 * - `"rejected"`: the service refused this very request.
 * - `"closed"`: a person decided that it did not go out, and that nothing sends it.
 * - `"freed"`: a person decided that it did not go out, and that the next call or run sends it.
 */
export type SendState = "in-flight" | "sent" | "unknown" | "rejected" | "closed" | "freed"

/** A person's decision on a send of unknown outcome: it becomes `sent`, `closed` or `freed`. */
export type Decision = "sent" | "notSent" | "resend"

/** A send in the journal. It has no number and no text. Times are in milliseconds since 1970. */
export interface KnownSend {
  /** A number of this journal, which is never used twice. */
  readonly id: number
  /** As the caller gave it; in a campaign, the key of the row. */
  readonly key: string
  /** The first claim of a key has turn 0. */
  readonly turn: number
  readonly state: SendState
  /** When it was claimed. */
  readonly claimedAt: number
  /** When it got its state. Absent while it is in flight, and if nobody settled it. */
  readonly settledAt?: number | undefined
  /** From this time on, a claim without an outcome reads as unknown. */
  readonly staleAt: number
  /** Until when the same request counts as a repetition. Absent: always. */
  readonly countsUntil?: number | undefined
  /** Empty if the SMS did not go out, if its response could not be read, or if a person decided. */
  readonly messages: ReadonlyArray<SentMessage>
  /** The error's name and status: no number and no text. */
  readonly reason?: string | undefined
  /** The keyed digest of its recipient. */
  readonly recipient?: string | undefined
  /** Who asked for it. Only sends of the server have it. */
  readonly caller?: string | undefined
}

/** How a key stands: whether it may be claimed, and what it depends on. */
export interface Standing {
  /** `"free"`: nothing that still counts is in the way. A `"rejected"` key may be claimed, too. */
  readonly state: "free" | Exclude<SendState, "freed">
  /** The turn of the next claim. */
  readonly turn: number
  /**
   * Whether the key was used with another request. Such a request must not be sent under it, unless its
   * state is `"rejected"`.
   */
  readonly isChanged: boolean
  /** Whether any send of the key reads as unknown: a copy of a sent SMS, say, or one that no longer counts. */
  readonly isUnresolved: boolean
  /** The send that the state comes from. Absent if no send of the key still counts. */
  readonly send?: KnownSend | undefined
}

/** The right to make one send. Only who has it settles it. */
export interface Claim {
  readonly key: string
  readonly turn: number
  readonly token: string
}

/** How a claimed send ended. */
export type SendEnding =
  /** The service accepted it. This wins over everything, however late it comes. */
  | { readonly outcome: "sent"; readonly messages: ReadonlyArray<SentMessage> }
  | { readonly outcome: "unknown"; readonly reason?: string }
  /** The service refused this very request. */
  | { readonly outcome: "rejected"; readonly reason: string }
  /** It never started, or was refused for a reason that is not its own: the key is free again. */
  | { readonly outcome: "nothing" }
