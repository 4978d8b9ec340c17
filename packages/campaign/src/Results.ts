/**
 * What became of the rows of a campaign, and the decision on what is unknown.
 *
 * @since 0.1.0
 */
import {
  CampaignJournal,
  type Decision,
  type JournalError,
  type Row,
  type RowState
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CampaignNotFound } from "./errors/CampaignNotFound.ts"
import { known } from "./internal/Known.ts"
import { pages, pageSize } from "./internal/Pages.ts"

/**
 * Which rows are wanted. Default: all.
 *
 * @since 0.1.0
 */
export interface ResultsFilter {
  readonly state?: RowState
}

const everyState: ReadonlyArray<RowState> = [
  "pending",
  "attempting",
  "accepted",
  "rejected",
  "unknown"
]

/**
 * The rows of a campaign with what became of them, in the order in which they were loaded.
 *
 * @since 0.1.0
 */
export const results = (
  campaign: string,
  { state }: ResultsFilter = {}
): Stream.Stream<Row, JournalError, CampaignJournal> =>
  pages(campaign, { states: state === undefined ? everyState : [state] })

/**
 * Which unknown rows are meant. Default: all.
 *
 * @since 0.1.0
 */
export interface UnknownFilter {
  readonly keys?: ReadonlyArray<string>
}

/**
 * A person's decision on rows of unknown outcome: they went out, they did not and stay so, or they are to
 * be sent once more (then `resume`). Returns how many it changed.
 *
 * @since 0.1.0
 */
export const resolveUnknown = Effect.fn("Campaign.resolveUnknown")(function* (
  campaign: string,
  decision: Decision,
  { keys }: UnknownFilter = {}
): Effect.fn.Return<number, CampaignNotFound | JournalError, CampaignJournal> {
  const campaigns = yield* CampaignJournal
  yield* known(campaign, yield* campaigns.state(campaign))
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
