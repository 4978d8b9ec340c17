/**
 * A campaign as programs give it and see it: its rows, how they are sent, what happens meanwhile, and what they
 * add up to.
 */
import type { documentedErrors } from "@messaging-topup/core/internal/errors"
import type { SendSmsRequest } from "@messaging-topup/core/promise"
import type { JournalError } from "./Errors.ts"
import type { HeldState } from "./States.ts"

/** One SMS of a campaign. Under its key, it is sent at most once. */
export interface Row {
  /**
   * Identifies the row in its campaign: 1 to 512 characters, such as the id of the person or the order. Not its place in
   * the list: after an insertion, the same people would have other keys, and get a second SMS. It is stored as it is given, but of a key that
   * could be a phone number only a keyed digest.
   */
  readonly key: string
  readonly request: SendSmsRequest
}

/**
 * Hours of each day in which nothing is sent. `from` and `to` are `HH:MM`. If `from` is later than `to`,
 * the hours span midnight.
 */
export interface QuietHours {
  readonly from: string
  readonly to: string
  /** A name of the IANA database, such as `Africa/Nairobi`. Daylight saving time is taken into account. */
  readonly timeZone: string
}

/**
 * How `sendMany` sends. All processes that send the same campaign should have the same options. `Handled`: what
 * `onEvent` returns.
 */
export interface CampaignOptions<Handled = unknown> {
  /** The name of the campaign. A row is the same send as `{ campaign, key }` in `sendOnce`. */
  readonly campaign: string
  /**
   * Maximum requests in flight in this process, 1 to 1000. It begins with one, and each sent SMS doubles
   * that number. Default: 50.
   */
  readonly concurrency?: number | undefined
  /**
   * Maximum messages per second of this process. Several processes of a campaign divide the rate. Default: no
   * limit.
   */
  readonly messagesPerSecond?: number | undefined
  /** Hours of each day in which nothing is sent. Default: none. */
  readonly quietHours?: QuietHours | undefined
  /**
   * Sends rows again that the service refused in an earlier run; they may have changed since. Default:
   * false.
   */
  readonly retryRejected?: boolean | undefined
  /**
   * Whether a row may be a second SMS to its recipient. If not, a row is refused if another row of the campaign has
   * its recipient, or if the same text went to the same number in the last 30 days, under any key; and that one was
   * sent, or may have been. A set has the keys of the rows that may. Default: true.
   */
  readonly allowRepeats?: boolean | Pick<ReadonlySet<string>, "has"> | undefined
  /**
   * Whether a person sits there, who can put the journal's file back. If not, a run whose file was removed, replaced or
   * damaged ends after as long as one without a connection: see {@link StopReason}. Default: false.
   */
  readonly attended?: boolean | undefined
  /**
   * Gets the events. Sending waits for it. What it throws ends the run, after the requests in flight. Default:
   * nothing.
   */
  readonly onEvent?: ((event: SendManyEvent) => Handled) | undefined
}

type DocumentedErrors = typeof documentedErrors

/** The documented errors that every further row would meet, too. */
export type AccountError = {
  [Tag in keyof DocumentedErrors]: DocumentedErrors[Tag]["concerns"] extends "account" ? Tag : never
}[keyof DocumentedErrors]

/**
 * Why a run stopped before the end: a documented error that concerns the account, and so every further row,
 * or too many failures in a row. `"FirstFailed"`: the first SMS all failed in the same way, other than
 * by a 400, so that a setting is probably wrong. `"AcceptedNobody"`: responses in a row had the status of an acceptance, and accepted nobody.
 * `"NoConnection"`: for five minutes, no request could connect to the service. `"Closed"`: the program closed the journal.
 * `"JournalReplaced"`: SMS of this run are not in the journal, whose place an older copy took, or another database server.
 * Do not run it again before a newer file is back, and what went out is taken out: it would send that again.
 */
export type StopReason =
  | AccountError
  | "FirstFailed"
  | "AcceptedNobody"
  | "FailuresInARow"
  | "NoConnection"
  | "Closed"
  | "JournalReplaced"

/**
 * Why a run stopped. `failure`: how the last SMS failed, such as `NotFound 404`. `missing`: at least so many SMS of this
 * run are not in the journal.
 */
export interface Stop {
  readonly reason: StopReason
  readonly failure?: string
  readonly missing?: number
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
  /**
   * The journal has the key with another SMS, so the row is not sent. The key is as it is stored. `state`: the other SMS was
   * sent, or a person decided that nothing sends it.
   */
  | { readonly _tag: "Changed"; readonly key: string; readonly state: HeldState }
  /** No request starts until `until`, in milliseconds since 1970. */
  | {
      readonly _tag: "Waiting"
      readonly why: "slow-down" | "no-connection" | "quiet-hours"
      readonly until: number
    }
  /**
   * Quiet hours that kept rows waiting are over: the next rows are claimed after this event. To send nothing more, throw:
   * what `onEvent` throws ends the run.
   */
  | { readonly _tag: "GoesOn" }
  /** Everything else is sent, and waits as long as other processes settle the rows that they have in flight. */
  | { readonly _tag: "WaitingForOthers"; readonly rows: number }
  /**
   * The journal is unavailable. No request starts until it is back; outcomes are kept in memory. Told again if the reason
   * is another one.
   */
  | { readonly _tag: "JournalLost"; readonly error: JournalError }
  /** The journal is available again. */
  | { readonly _tag: "JournalBack" }
  /**
   * The run ends without the journal, because of `error`. The outcomes of so many SMS, or some of them, are not in it: those
   * read as unknown, or, if its file is gone or another database server took over, as nothing, and can be sent again.
   */
  | { readonly _tag: "OutcomesLost"; readonly rows: number; readonly error: JournalError }
  /**
   * An older copy, or another database server, took the place of the journal: at least so many SMS of this run are not in it.
   * No request starts any more. However the run ends: do not run it again before what went out is taken out.
   */
  | { readonly _tag: "JournalReplaced"; readonly missing: number }

/** How many rows that were given are in which state after a run. */
export interface RowCounts {
  /** Sent, by this run or an earlier one. */
  readonly sent: number
  /**
   * Refused by the service: `messaging-topup results` says which, and why. `retryRejected` sends them again; without it,
   * also a corrected row stays so.
   */
  readonly rejected: number
  /** They may have gone out. A person decides. */
  readonly unknown: number
  /** A person decided that they are not sent. */
  readonly closed: number
  /** Not sent, because the journal has their keys with other requests. */
  readonly changed: number
  /** Not sent, because they would be a second SMS to their recipients. See `allowRepeats`. */
  readonly repeated: number
  /** In flight in other processes, which may have ended, or when a run stopped. See `inFlightUntil`. */
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
   * then: what is not sent yet is sent.
   */
  readonly inFlightUntil?: number
}
