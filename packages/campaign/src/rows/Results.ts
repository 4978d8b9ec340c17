/**
 * The rows of a campaign with their outcomes, and decisions on unknown rows.
 *
 * @since 0.1.0
 */
import {
  CampaignJournal,
  type Decision,
  type JournalError,
  type Row,
  type RowState,
  rowStates
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CampaignNotFound } from "./CampaignNotFound.ts"
import { pages, pageSize, requireFound } from "./Lookup.ts"

/**
 * The rows of a campaign with their outcomes, in the order in which they were loaded. Default: all rows.
 *
 * @since 0.1.0
 */
export const results = (
  campaign: string,
  { state }: { readonly state?: RowState } = {}
): Stream.Stream<Row, JournalError, CampaignJournal> =>
  pages(campaign, { states: state === undefined ? rowStates : [state] })

/** Changes the rows of these keys, page by page. Returns how many rows changed. */
const countOver = (
  keys: Stream.Stream<string, JournalError, CampaignJournal>,
  change: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>, JournalError>
) =>
  keys.pipe(
    Stream.grouped(pageSize),
    Stream.mapEffect(change),
    Stream.runFold(
      () => 0,
      (count, changed) => count + changed.length
    )
  )

/**
 * Applies a person's decision to rows of unknown outcome: to those with the given keys, or to all.
 * Returns how many rows it changed.
 *
 * - `"sent"`: they went out.
 * - `"rejected"`: they did not go out, and are not resent.
 * - `"resend"`: they are sent once more by the next `resume`.
 *
 * @since 0.1.0
 */
export const resolveUnknown = Effect.fn("Campaign.resolveUnknown")(function* (
  campaign: string,
  decision: Decision,
  { keys }: { readonly keys?: ReadonlyArray<string> } = {}
): Effect.fn.Return<number, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  yield* requireFound(campaign, yield* campaigns.state(campaign))
  const wanted =
    keys === undefined
      ? Stream.map(results(campaign, { state: "unknown" }), ({ key }) => key)
      : Stream.fromIterable(keys)
  return yield* countOver(wanted, (some) => campaigns.resolveRows(campaign, some, decision))
})

/**
 * Takes rejected rows up again, after the cause was removed: all of them, those with the given keys, or
 * those that were rejected for a reason, such as `NotFound` or `NotFound 404`. They are sent by the next
 * `resume`. Rows of a cancelled campaign stay rejected. Returns how many rows it changed.
 *
 * @since 0.1.0
 */
export const retryRejected = Effect.fn("Campaign.retryRejected")(function* (
  campaign: string,
  { keys, reason }: { readonly keys?: ReadonlyArray<string>; readonly reason?: string } = {}
): Effect.fn.Return<number, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  yield* requireFound(campaign, yield* campaigns.state(campaign))
  const wanted = keys === undefined ? undefined : new Set(keys)
  const isWanted = ({ info, key }: Row) =>
    (wanted === undefined || wanted.has(key)) &&
    (reason === undefined || info === reason || info?.startsWith(`${reason} `) === true)
  const rejected = Stream.filter(results(campaign, { state: "rejected" }), isWanted)
  return yield* countOver(
    Stream.map(rejected, ({ key }) => key),
    (some) => campaigns.retryRows(campaign, some)
  )
})
