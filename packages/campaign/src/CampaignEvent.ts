/**
 * What happens while a campaign is sent.
 *
 * @since 0.1.0
 */
import type { JournalError, RowCounts } from "@messaging-topup/journal"
import type { CampaignState } from "@messaging-topup/journal"

/**
 * Why a campaign paused itself: an error that no further row can survive, or too many failures
 * in a row.
 *
 * @since 0.1.0
 */
export type StopReason =
  | "AuthenticationFailed"
  | "PaymentRequired"
  | "InsufficientPermissions"
  | "FailuresInARow"

/**
 * One event of a campaign. No phone number and no text is in any of them.
 *
 * @since 0.1.0
 */
export type CampaignEvent =
  /** All rows are in the journal. `rows`: how many were read, known ones too. */
  | { readonly _tag: "Loaded"; readonly rows: number }
  /** What was settled since the last one. `released` and `retried` rows will be tried again. */
  | {
      readonly _tag: "Settled"
      readonly accepted: number
      readonly rejected: number
      readonly unknown: number
      readonly retried: number
    }
  /** Nothing is sent until then, in milliseconds since 1970. */
  | {
      readonly _tag: "Waiting"
      readonly why: "slow-down" | "quiet-hours"
      readonly until: number
    }
  /** The journal cannot be written. Nothing is sent until it can; outcomes are kept in hand. */
  | { readonly _tag: "JournalLost"; readonly error: JournalError }
  | { readonly _tag: "JournalBack" }
  /** The campaign paused itself. */
  | { readonly _tag: "Stopped"; readonly reason: StopReason }
  /** The last event. */
  | { readonly _tag: "Ended"; readonly state: CampaignState; readonly counts: RowCounts }
