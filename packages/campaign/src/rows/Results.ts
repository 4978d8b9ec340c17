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
  return yield* wanted.pipe(
    Stream.grouped(pageSize),
    Stream.mapEffect((some) => campaigns.resolveRows(campaign, some, decision)),
    Stream.runFold(
      () => 0,
      (count, resolved) => count + resolved.length
    )
  )
})
