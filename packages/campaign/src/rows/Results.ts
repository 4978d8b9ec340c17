/** The rows of a campaign with their outcomes, and decisions on unknown rows. */
import {
  CampaignJournal,
  type ChangedRows,
  type Decision,
  type JournalError,
  type Row,
  type RowState,
  rowStates
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CampaignNotFound } from "./CampaignNotFound.ts"
import { hasReason, pages, pageSize, requireFound } from "./Lookup.ts"

/**
 * The rows of a campaign with their outcomes, in the order in which they were loaded. Default: all rows.
 */
export const results = (
  campaign: string,
  { state }: { readonly state?: RowState } = {}
): Stream.Stream<Row, JournalError, CampaignJournal> =>
  pages(campaign, { states: state === undefined ? rowStates : [state] })

/** What a person's decision changed. */
export interface Decided {
  /** How many rows changed. */
  readonly rows: number
  /**
   * The keys of rows that are not sent again yet: their request may still start. Repeat the call 10 seconds
   * after their claim.
   */
  readonly refused: ReadonlyArray<string>
}

/** Changes the rows of these keys, page by page. */
const decide = (
  keys: Stream.Stream<string, JournalError, CampaignJournal>,
  change: (keys: ReadonlyArray<string>) => Effect.Effect<ChangedRows, JournalError>
) =>
  keys.pipe(
    Stream.grouped(pageSize),
    Stream.mapEffect(change),
    Stream.runFold(
      (): Decided => ({ rows: 0, refused: [] }),
      ({ refused, rows }, page) => ({
        rows: rows + page.changed.length,
        refused: [...refused, ...page.refused]
      })
    )
  )

/**
 * Applies a person's decision to rows of unknown outcome: to those with the given keys, or to all.
 * Returns how many rows it changed, and which rows it does not resend yet.
 *
 * - `"sent"`: they went out.
 * - `"rejected"`: they did not go out, and are not resent.
 * - `"resend"`: they are sent once more by the next `resume`.
 */
export const resolveUnknown = Effect.fn("Campaign.resolveUnknown")(function* (
  campaign: string,
  decision: Decision,
  { keys }: { readonly keys?: ReadonlyArray<string> } = {}
): Effect.fn.Return<Decided, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  yield* requireFound(campaign, yield* campaigns.state(campaign))
  const wanted =
    keys === undefined
      ? Stream.map(results(campaign, { state: "unknown" }), ({ key }) => key)
      : Stream.fromIterable(keys)
  return yield* decide(wanted, (some) => campaigns.resolveRows(campaign, some, decision))
})

/**
 * Takes rejected rows up again, after the cause was removed: all of them, those with the given keys, or
 * those that were rejected for a reason, such as `NotFound` or `NotFound 404`. They are sent by the next
 * `resume`. Rows of a cancelled campaign stay rejected. Returns what changed.
 */
export const retryRejected = Effect.fn("Campaign.retryRejected")(function* (
  campaign: string,
  { keys, reason }: { readonly keys?: ReadonlyArray<string>; readonly reason?: string } = {}
): Effect.fn.Return<Decided, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  yield* requireFound(campaign, yield* campaigns.state(campaign))
  const wanted = keys === undefined ? undefined : new Set(keys)
  const isWanted = (row: Row) =>
    (wanted === undefined || wanted.has(row.key)) &&
    (reason === undefined || hasReason(row, reason))
  const rejected = Stream.filter(results(campaign, { state: "rejected" }), isWanted)
  return yield* decide(
    Stream.map(rejected, ({ key }) => key),
    (some) => campaigns.retryRows(campaign, some)
  )
})
