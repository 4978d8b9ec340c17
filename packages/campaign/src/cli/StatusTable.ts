/**
 * The counts of a campaign, as a terminal shows them.
 */
import type { RowCounts } from "@messaging-topup/journal"
import { table } from "./Output.ts"

/** `invalid`: rows of the file that are not in the journal, if a file was read. */
export const tableOf = (counts: RowCounts, invalid?: number): string =>
  table([
    ["accepted", counts.accepted],
    ["rejected", counts.rejected],
    ["unknown", counts.unknown],
    ["pending", counts.pending],
    ["under way", counts.attempting],
    ...(invalid === undefined ? [] : [["invalid", invalid] as const])
  ])
