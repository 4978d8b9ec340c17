/** The events of a campaign while it is sent. */
import type { documentedErrors } from "@messaging-topup/core"
import type { JournalError, RowCounts } from "@messaging-topup/journal"
import type { CampaignState } from "@messaging-topup/journal"

/**
 * Why a campaign paused itself: a documented error that concerns the account, and so every further row, or
 * too many failures in a row. `"NothingAccepted"`: the first SMS of a process all failed in the same way, so
 * that a setting is probably wrong; those that did not go out stay pending. `"NoConnection"`: for five
 * minutes, no request of a process could connect to the service.
 */
export type StopReason =
  | keyof typeof documentedErrors
  | "NothingAccepted"
  | "FailuresInARow"
  | "NoConnection"

/**
 * Why a campaign paused itself. `info`: with `"NothingAccepted"`, how the SMS failed, such as
 * `NotFound 404`.
 */
export interface Stop {
  readonly reason: StopReason
  readonly info?: string
}

/** One event of a campaign. Events contain no phone number and no SMS text. */
export type CampaignEvent =
  /** All rows are in the journal. `rows` counts all that were read, including those it had before. */
  | { readonly _tag: "Loaded"; readonly rows: number }
  /** The rows settled since the last `Settled`. `retried` rows did not go out and are pending again. */
  | {
      readonly _tag: "Settled"
      readonly sent: number
      readonly rejected: number
      readonly unknown: number
      readonly retried: number
    }
  /** No request starts until `until`, in milliseconds since 1970. */
  | {
      readonly _tag: "Waiting"
      readonly why: "slow-down" | "no-connection" | "quiet-hours"
      readonly until: number
    }
  /** The journal is unavailable. No request starts until it is back; outcomes are kept in memory. */
  | { readonly _tag: "JournalLost"; readonly error: JournalError }
  /** The journal is available again. */
  | { readonly _tag: "JournalBack" }
  /** The campaign paused itself. */
  | ({ readonly _tag: "Stopped" } & Stop)
  /** The last event: no more rows are sent by this run. */
  | { readonly _tag: "Ended"; readonly state: CampaignState; readonly counts: RowCounts }
