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

/** Reads rows in pages: `read` returns those after an id, at most `size`. */
export const paged = <A extends { readonly id: number }>(
  size: number,
  read: (
    campaigns: CampaignJournal["Service"],
    after: number
  ) => Effect.Effect<ReadonlyArray<A>, JournalError>
): Stream.Stream<A, JournalError, CampaignJournal> =>
  Stream.paginate(-1, (after) =>
    Effect.map(
      Effect.flatMap(CampaignJournal, (campaigns) => read(campaigns, after)),
      (rows) => {
        const last = rows.at(-1)
        const hasMore = rows.length === size && last !== undefined
        return [rows, hasMore ? Option.some(last.id) : Option.none<number>()] as const
      }
    )
  )

export const pages = (
  campaign: string,
  filter: RowFilter
): Stream.Stream<Row, JournalError, CampaignJournal> =>
  paged(pageSize, ({ page }, after) => page(campaign, filter, after, pageSize))

/** Whether a row ended for a reason: `NotFound` is also `NotFound 404`. */
export const hasReason = ({ info }: Pick<Row, "info">, reason: string): boolean =>
  info === reason || info?.startsWith(`${reason} `) === true
