/**
 * The exit codes of the command.
 */
import type { RowCounts } from "@messaging-topup/journal"
import type { CampaignStatus } from "../rows/State.ts"

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllSent: 3,
  paused: 4
} as const

export const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

const hasFailures = ({ rejected, unknown }: RowCounts, invalid: number): boolean =>
  rejected + unknown + invalid > 0

export const codeOf = ({ counts, state }: CampaignStatus, invalid: number): number => {
  if (state === "paused") return exitCodes.paused
  return hasFailures(counts, invalid) ? exitCodes.notAllSent : exitCodes.done
}

export const exitCodesHelp = `Exit codes: 0 done, no failures; 1 could not run, or declined; 2 wrong usage; 3 rows were invalid or rejected, or their outcome is unknown; 4 the campaign is paused; 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.`
