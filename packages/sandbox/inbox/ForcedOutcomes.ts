/** One row of the table of forced outcomes, which the build inserts. */
export interface ForcedOutcome {
  readonly suffix: string
  readonly response: string
  readonly accepted: boolean
}

declare const FORCED_OUTCOMES: ReadonlyArray<ForcedOutcome>

export const forcedOutcomes = FORCED_OUTCOMES
