/** The rows of a campaign: the SMS to send, and their outcomes. */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Duration from "effect/Duration"

/** An SMS to send, under a key that is unique in its campaign. The key is stored in plain text. */
export interface NewRow {
  readonly key: string
  /** The line of its file, from 1. It is no content: the row may be loaded again from another line. */
  readonly line?: number
  readonly request: SendSmsRequest
}

/** A load: rows that arrive in several appends. They are sent once it has ended, all or none. */
export interface Load {
  readonly campaign: string
  /** A random id, so that a later load is another one. */
  readonly id: string
}

/**
 * The state of a row.
 *
 * - `"pending"`: not sent; the next attempt may claim it.
 * - `"attempting"`: an attempt claimed it, and its request may be in flight.
 * - `"sent"`: the service accepted it.
 * - `"rejected"`: it did not go out, and is not retried, unless a person decides so.
 * - `"unknown"`: it may have gone out; only a person can make it `"pending"` again.
 */
export type RowState = (typeof rowStates)[number]

/** The states of a row. */
export const rowStates = ["pending", "attempting", "sent", "rejected", "unknown"] as const

/** A row as the journal holds it. */
export interface Row extends NewRow {
  /** Unique in the journal. The rows of a slice have consecutive ids. */
  readonly id: number
  readonly state: RowState
  /** How often it was claimed and did not go out. `"released"` settlements do not count. */
  readonly tries: number
  /** When its state last changed, in milliseconds since 1970. */
  readonly at: number
  /** The `info` of its last settlement, such as the reason why it did not go out. */
  readonly info?: string
  /** The id of the message that the service accepted. */
  readonly message_id?: string
  /** The last status that was read, in the service's own text. */
  readonly status?: string
  /** Whether the status is final, so that the service is not asked again. */
  readonly isFinal?: boolean
}

/** An attempt at a slice. It may claim rows until another attempt begins. */
export interface Attempt {
  readonly slice: number
  readonly epoch: number
}

/**
 * How the request of a claimed row ended.
 *
 * - `"sent"`, `"unknown"`, `"not-sent"`: as `sendOutcome` of core returns it.
 * - `"rejected"`: it did not go out, and a retry would fail too.
 * - `"released"`: it did not go out for a reason outside the row, such as a service that is unavailable.
 *   It does not count as a try.
 */
export type RowOutcome = "sent" | "rejected" | "unknown" | "not-sent" | "released"

/**
 * The outcome of a row that this attempt claimed. `info` is shown in reports: no phone number, no SMS
 * text.
 */
export interface Settlement extends Pick<Row, "info" | "message_id" | "status"> {
  readonly id: number
  readonly outcome: RowOutcome
}

/**
 * The request of a claimed row starts within this time after the claim, or not at all. So a process that
 * was frozen for longer sends nothing that a person has decided to resend meanwhile.
 */
export const claimDeadline: Duration.Duration = Duration.seconds(10)

/**
 * A person's decision on a send of unknown outcome.
 *
 * - `"sent"`: it went out.
 * - `"rejected"`: it did not go out, and is not resent.
 * - `"resend"`: it is sent once more.
 */
export type Decision = "sent" | "rejected" | "resend"

/** The maximum number of rows in a slice. */
export const rowsPerSlice = 500

/**
 * The maximum number of tries of a row. A row that did not go out in so many tries is `"rejected"`.
 */
export const maxTries = 5
