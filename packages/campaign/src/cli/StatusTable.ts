/**
 * The counts of a campaign as a table for a terminal.
 */
import type { RowCounts } from "@messaging-topup/journal"
import { table } from "./Output.ts"

/** `invalid` is the number of rows in the file that are not in the journal, if a file was read. */
export const tableOf = (counts: RowCounts, invalid?: number): string =>
  table([
    ["sent", counts.sent],
    ["rejected", counts.rejected],
    ["unknown", counts.unknown],
    ["pending", counts.pending],
    ["in flight", counts.attempting],
    ...(invalid === undefined ? [] : [["invalid", invalid] as const])
  ])
