/** The sends of campaigns: many keys at a time. */
import type { InvalidInput } from "@messaging-topup/core"
import type * as Effect from "effect/Effect"
import type { CampaignPruned, JournalError } from "./Errors.ts"
import type { Claim, Decision, KnownSend, SendEnding, SendState, Standing } from "./Send.ts"

/**
 * The key under which the journal stores a row of a campaign. A campaign's name may contain any character,
 * and two names never make the same key.
 */
export const campaignKey = (campaign: string, key: string): string =>
  `${campaign.replaceAll("%", "%25").replaceAll("/", "%2F")}/${key}`

/** A row to claim. */
export interface RowToClaim {
  readonly key: string
  /** As `look` returned it. */
  readonly turn: number
  /** `requestDigest` of its `campaignKey` and request. */
  readonly request: string
  /** `recipientDigest` of its number. */
  readonly recipient: string
}

/** What one write of a campaign does: it settles rows and claims others. */
export interface Turn {
  readonly settle: ReadonlyArray<{ readonly claim: Claim; readonly ending: SendEnding }>
  readonly claim: ReadonlyArray<RowToClaim>
  /** A random text of this turn. If the turn is repeated after a failure, it is the same. */
  readonly token: string
  /** How long one request may take: `timeoutMillis` of the client. */
  readonly timeoutMillis: number
}

/** What a turn claimed. */
export interface Claimed {
  /** By the key of the row. Start one request for each of them, and for no other row. */
  readonly claims: ReadonlyMap<string, Claim>
  /** Whether a request of these claims may still start. Pass it to `OnRequestStart`. */
  readonly mayStart: () => boolean
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

/** What the journal knows of a campaign, besides its rows. */
export interface KnownCampaign {
  /** Which options its rows are read with, as the caller wrote it down. */
  readonly options?: string | undefined
  /** When its sends were deleted, in milliseconds since 1970. It is refused from then on. */
  readonly prunedAt?: number | undefined
}

/** The sends of campaigns. Keys are those of rows: the journal stores `campaignKey`. */
export interface CampaignSends {
  /**
   * Writes the name of a campaign down. Its rows can be claimed from then on. May be repeated: the `options`
   * that were given first stay.
   */
  readonly begin: (
    campaign: string,
    about?: Pick<KnownCampaign, "options">
  ) => Effect.Effect<void, CampaignPruned | InvalidInput | JournalError>
  /** Returns what the journal knows of a campaign; undefined if it has not begun. */
  readonly find: (campaign: string) => Effect.Effect<KnownCampaign | undefined, JournalError>
  /** Returns how each row stands, in the order of the rows. */
  readonly look: (
    campaign: string,
    rows: ReadonlyArray<{ readonly key: string; readonly request: string }>
  ) => Effect.Effect<ReadonlyArray<Standing>, JournalError>
  /**
   * Settles rows and claims others, in one write. A row that somebody else has claimed, that was sent, or
   * whose campaign was pruned is not claimed: `look` says why. After a failure, repeat the call with the
   * same turn; what was already written does not change. A row cannot be settled and claimed in one turn.
   */
  readonly exchange: (campaign: string, turn: Turn) => Effect.Effect<Claimed, JournalError>
  /**
   * Returns rows that were sent or may have been, with the digests of their recipients, in the order of
   * their keys. `after` is the key of the last row of the page before.
   */
  readonly recipients: (
    campaign: string,
    page: { readonly after?: string; readonly limit: number }
  ) => Effect.Effect<
    ReadonlyArray<{ readonly key: string; readonly recipient: string }>,
    JournalError
  >
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
   * Applies a person's decision to the rows of unknown outcome; with `keys`, only to these. Returns how many
   * changed.
   */
  readonly resolve: (
    campaign: string,
    decision: Decision,
    keys?: ReadonlyArray<string>
  ) => Effect.Effect<number, JournalError>
  /**
   * Deletes the sends of a campaign, and returns how many they were. Its name stays, and running it again is
   * refused. Nothing is deleted while a row is in flight or, unless `unknown` is true, of unknown outcome:
   * then it returns undefined.
   */
  readonly prune: (
    campaign: string,
    what: { readonly unknown: boolean }
  ) => Effect.Effect<number | undefined, JournalError>
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
