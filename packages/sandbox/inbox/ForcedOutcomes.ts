/** The table of forced outcomes. The build puts it in. */
export interface ForcedOutcome {
  readonly suffix: string
  readonly response: string
  readonly accepted: boolean
}

declare const FORCED_OUTCOMES: ReadonlyArray<ForcedOutcome>

export const forcedOutcomes = FORCED_OUTCOMES
