/** The events of `sendMany`, and its result. */
import type { documentedErrors } from "@messaging-topup/core"
import type { JournalError } from "./Errors.ts"

/**
 * Why a run stopped before the end: a documented error that concerns the account, and so every further row,
 * or too many failures in a row. `"NothingAccepted"`: the first SMS all failed in the same way, so that a
 * setting is probably wrong. `"AcceptedNobody"`: five responses in a row had the status of an acceptance, and
 * accepted nobody. `"NoConnection"`: for five minutes, no request could connect to the service.
 */
export type StopReason =
  | keyof typeof documentedErrors
  | "NothingAccepted"
  | "AcceptedNobody"
  | "FailuresInARow"
  | "NoConnection"

/** Why a run stopped. `failure`: how the last SMS failed, such as `NotFound 404`. */
export interface Stop {
  readonly reason: StopReason
  readonly failure?: string
}

/** One event of a run. Events contain no phone number and no SMS text. */
export type SendManyEvent =
  /** The rows that got an outcome since the last `Settled`. `notSent` rows did not go out, and are tried again. */
  | {
      readonly _tag: "Settled"
      readonly sent: number
      readonly rejected: number
      readonly unknown: number
      readonly notSent: number
    }
  /** The journal has the key with another request, so the row is not sent. The key is as it is stored. */
  | { readonly _tag: "Changed"; readonly key: string }
  /** No request starts until `until`, in milliseconds since 1970. */
  | {
      readonly _tag: "Waiting"
      readonly why: "slow-down" | "no-connection" | "quiet-hours"
      readonly until: number
    }
  /** Everything else is sent, and waits as long as other processes settle the rows that they have in flight. */
  | { readonly _tag: "WaitingForOthers"; readonly rows: number }
  /** The journal is unavailable. No request starts until it is back; outcomes are kept in memory. */
  | { readonly _tag: "JournalLost"; readonly error: JournalError }
  /** The journal is available again. */
  | { readonly _tag: "JournalBack" }

/** How many rows that were given are in which state after a run. */
export interface RowCounts {
  /** Sent, by this run or an earlier one. */
  readonly sent: number
  /** Refused by the service. `retryRejected` sends them again. */
  readonly rejected: number
  /** They may have gone out. A person decides. */
  readonly unknown: number
  /** A person decided that they are not sent. */
  readonly closed: number
  /** Not sent, because the journal has their keys with other requests. */
  readonly changed: number
  /** Not sent, because their recipients got another SMS of the campaign, or may have. */
  readonly repeated: number
  /** In flight in other processes, which seem to have ended. See `inFlightUntil`. */
  readonly inFlight: number
  /** Read and not sent. If the run stopped, further rows were not read. */
  readonly notSent: number
}

/** The result of `sendMany`. */
export interface SendManyResult {
  readonly rows: RowCounts
  /** How many rows this run sent. */
  readonly sentNow: number
  /** Why it stopped before the end. */
  readonly stop?: Stop
  /**
   * When the rows in flight read as unknown if nobody settles them, in milliseconds since 1970. Run it again
   * then: what is still open is sent.
   */
  readonly inFlightUntil?: number
}
