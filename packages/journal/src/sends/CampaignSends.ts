/** The sends of campaigns: many keys at a time. */
import type { InvalidInput, SendSmsRequest } from "@messaging-topup/core"
import type * as Effect from "effect/Effect"
import type { CampaignPruned, JournalError } from "../model/Errors.ts"
import type { Claim, KeyedSend, KnownSend, Settlement, Standing } from "../model/Send.ts"
import type { SendState } from "../model/States.ts"

/** A row to claim. */
export interface RowToClaim {
  /** As `identify` returned it. */
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  /** As `look` returned it. */
  readonly attempt: number
}

/** One write of many rows: it settles some and claims others. */
export interface Batch {
  readonly settle: ReadonlyArray<Settlement>
  readonly claim: ReadonlyArray<RowToClaim>
  /** A random text of this batch. If the batch is repeated after a failure, it is the same. */
  readonly token: string
  /** How long one request may take: `timeoutMillis` of the client. */
  readonly timeoutMillis: number
  /** Whether a recipient may get several SMS of the campaign. */
  readonly allowRepeats: boolean
}

/**
 * What became of a row that was to be claimed. It is refused because another row of the campaign has its
 * recipient and was sent, or may have been (`"repeated"`); or because somebody else has claimed it or it got an
 * outcome, which `look` tells (`"elsewhere"`).
 */
export type RowClaim =
  | { readonly _tag: "Claimed"; readonly claim: Claim }
  | { readonly _tag: "Refused"; readonly because: "elsewhere" | "repeated" }

/** What a batch claimed. */
export interface Claimed {
  /** In the order of the rows. Start one request for each that was claimed, and for no other. */
  readonly rows: ReadonlyArray<RowClaim>
  /** Whether a request of these claims may still start. Pass it to `MayStart`. */
  readonly mayStart: () => boolean
}

/** What the journal knows of the name of a campaign. */
export interface KnownCampaign {
  /** The folder of the list with which it began. */
  readonly folder?: string | undefined
  /** How its list was read when it began, as whoever began it wrote it down. */
  readonly options?: string | undefined
  /** When its sends were deleted, in milliseconds since 1970. */
  readonly prunedAt?: number | undefined
}

/** An SMS of somebody else with the same content as one of a campaign. */
export interface OtherSend {
  readonly id: number
  /** `contentDigest` of its request. */
  readonly content: string
  /** Absent for a send of a program or of the server. */
  readonly campaign?: string | undefined
  /** When it was claimed, in milliseconds since 1970. */
  readonly claimedAt: number
}

/** How many rows of a campaign are in each state. */
export type CampaignCounts = Readonly<Record<SendState, number>>

/** Rows that are in the same state for the same reason. Times are in milliseconds since 1970. */
export interface Tally {
  readonly state: SendState
  /** Absent for a claim that nobody settled. */
  readonly reason?: string | undefined
  readonly count: number
  /** When the first of them ended; a claim that nobody settled, when it was made. */
  readonly firstAt: number
  readonly lastAt: number
}

/** The sends of campaigns. */
export interface CampaignSends {
  /** Writes the name of a campaign down. Its rows can be claimed from then on. May be repeated. */
  readonly begin: (
    campaign: string,
    known?: Omit<KnownCampaign, "prunedAt">
  ) => Effect.Effect<void, CampaignPruned | InvalidInput | JournalError>
  /** Returns what the journal knows of a name; undefined if it was not begun. */
  readonly find: (campaign: string) => Effect.Effect<KnownCampaign | undefined, JournalError>
  /** Returns how each row stands, in the order of the rows, which are as `identify` returned them. */
  readonly look: (
    rows: ReadonlyArray<KeyedSend>
  ) => Effect.Effect<ReadonlyArray<Standing>, JournalError>
  /**
   * Settles rows and claims others, in one write. After a failure, repeat the call with the same batch; what
   * was already written does not change. A row cannot be settled and claimed in one batch. If the campaign was
   * pruned, nothing is claimed.
   */
  readonly exchange: (
    campaign: string,
    batch: Batch
  ) => Effect.Effect<Claimed, CampaignPruned | JournalError>
  /**
   * Returns which of these rows would be refused as repeated: another row of the campaign has the recipient, and
   * was sent or may have been.
   */
  readonly repeated: (
    campaign: string,
    rows: ReadonlyArray<RowToClaim>
  ) => Effect.Effect<ReadonlySet<RowToClaim>, JournalError>
  /**
   * Returns sends that are not of this campaign and were sent or may have been, in the order of their ids.
   * `after` is the id of the last one of the page before, 0 at first; `since` is a time in milliseconds since
   * 1970.
   */
  readonly others: (
    campaign: string,
    page: { readonly since: number; readonly after: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<OtherSend>, JournalError>
  /** Returns the rows in the order of their keys, each as it stands. */
  readonly sends: (
    campaign: string,
    page: {
      /** Default: all. */
      readonly states?: ReadonlyArray<SendState>
      readonly after?: string
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<KnownSend>, JournalError>
  readonly counts: (campaign: string) => Effect.Effect<CampaignCounts, JournalError>
  /**
   * Returns the states and their reasons, the most frequent first. With a step, also by time: rows of one
   * tally ended within `widthMillis`, of which the first begin `offsetMillis` before a multiple of it.
   */
  readonly tallies: (
    campaign: string,
    step?: { readonly widthMillis: number; readonly offsetMillis: number }
  ) => Effect.Effect<ReadonlyArray<Tally>, JournalError>
  /**
   * Takes `amount` of a rate that all processes on the journal share. If it is not granted, nothing was
   * taken, and it may be after `waitMillis`; if it is granted, its time comes after `waitMillis`, which is
   * at most 100.
   */
  readonly reserve: (rate: {
    /** Calls with the same name share the rate. */
    readonly name: string
    readonly amount: number
    readonly perSecond: number
  }) => Effect.Effect<{ readonly isGranted: boolean; readonly waitMillis: number }, JournalError>
}
