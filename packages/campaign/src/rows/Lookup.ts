/**
 * Finds campaigns in the journal, and reads their rows in pages.
 */
import {
  CampaignJournal,
  type CampaignState,
  type JournalError,
  type Row,
  type RowFilter
} from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CampaignNotFound } from "./CampaignNotFound.ts"

/** Returns the state that the journal returned. Fails if the journal has no such campaign. */
export const requireFound = (campaign: string, state: CampaignState | undefined) =>
  state === undefined ? Effect.fail(new CampaignNotFound({ campaign })) : Effect.succeed(state)

export const pageSize = 500

/** How many rows are read before they are written, in one append. */
export const rowsPerAppend = 5_000

export const pages = (
  campaign: string,
  filter: RowFilter
): Stream.Stream<Row, JournalError, CampaignJournal> =>
  Stream.paginate(-1, (after) =>
    Effect.map(
      Effect.flatMap(CampaignJournal, (campaigns) =>
        campaigns.page(campaign, filter, after, pageSize)
      ),
      (rows) => {
        const last = rows.at(-1)
        const hasMore = rows.length === pageSize && last !== undefined
        return [rows, hasMore ? Option.some(last.id) : Option.none<number>()] as const
      }
    )
  )

/** Whether a row ended for a reason: `NotFound` is also `NotFound 404`. */
export const hasReason = ({ info }: Pick<Row, "info">, reason: string): boolean =>
  info === reason || info?.startsWith(`${reason} `) === true
