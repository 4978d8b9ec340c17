/**
 * The rows of a campaign: what is to be sent, and what became of it.
 *
 * @since 0.1.0
 */
import type { SendSmsRequest } from "@messaging-topup/core"

/**
 * An SMS to send, under a key that is unique in its campaign. A key is stored as it is.
 *
 * @since 0.1.0
 */
export interface NewRow {
  readonly key: string
  readonly request: SendSmsRequest
}

/**
 * What is known of a row.
 *
 * - `"pending"`: not sent; the next attempt may claim it.
 * - `"attempting"`: an attempt claimed it, and its request may be under way.
 * - `"accepted"`: the service took it.
 * - `"rejected"`: it did not go out, and is not tried any more.
 * - `"unknown"`: it may have gone out; only a person can make it `"pending"` again.
 *
 * @since 0.1.0
 */
export type RowState = "pending" | "attempting" | "accepted" | "rejected" | "unknown"

/**
 * A row as the journal holds it.
 *
 * @since 0.1.0
 */
export interface Row extends NewRow {
  /** Unique in the journal. The rows of a slice have ids that follow one another. */
  readonly id: number
  readonly state: RowState
  /** How often it was claimed and did not go out. */
  readonly tries: number
  /** When its state last changed, in milliseconds since 1970. */
  readonly at: number
  /** What its last settlement said, such as why it did not go out. */
  readonly info?: string
  /** Of the message that the service accepted. */
  readonly message_id?: string
  /** What the service last said of it, in its own words. */
  readonly status?: string
  /** Whether that is not asked for again. */
  readonly isFinal?: boolean
}

/**
 * An attempt at a slice. It has the slice until another attempt begins.
 *
 * @since 0.1.0
 */
export interface Attempt {
  readonly slice: number
  readonly epoch: number
}

/**
 * How the request of a claimed row ended: what `sendOutcome` says, or that it is not worth another
 * try. `"released"`: it did not go out for a reason that is not the row's own, such as a service that is
 * away, so it is no try.
 *
 * @since 0.1.0
 */
export type RowOutcome = "accepted" | "rejected" | "unknown" | "not-sent" | "released"

/**
 * What became of a row that this attempt claimed.
 *
 * @since 0.1.0
 */
export interface Settlement {
  readonly id: number
  readonly outcome: RowOutcome
  /** Kept with the row. No phone number, no text: it outlives them in reports. */
  readonly info?: string
  /** Of the message that the service accepted. */
  readonly message_id?: string
  /** What the service said of it, in its own words. */
  readonly status?: string
}

/**
 * What a person decides on a send of unknown outcome: it went out, it did not and stays so, or it is to
 * be sent once more.
 *
 * @since 0.1.0
 */
export type Decision = "accepted" | "rejected" | "resend"

/**
 * How many rows a slice has at most.
 *
 * @since 0.1.0
 */
export const rowsPerSlice = 500

/**
 * How often a row is claimed at most. One that did not go out so often is `"rejected"`.
 *
 * @since 0.1.0
 */
export const maxTries = 5
