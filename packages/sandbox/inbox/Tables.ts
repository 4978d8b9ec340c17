/**
 * Tables of the sandbox that the build inserts, because their modules would add Effect to the page.
 */
import type { Fault } from "../src/faults/Fault.ts"
import type { ForcedOutcome as Forced } from "../src/service/ForcedOutcomes.ts"

/** One row of the table of forced outcomes. */
export type ForcedOutcome = Pick<Forced, "accepted" | "response" | "suffix">

declare const FORCED_OUTCOMES: ReadonlyArray<ForcedOutcome>

export const forcedOutcomes = FORCED_OUTCOMES

declare const FAULTS: ReadonlyArray<{
  readonly name: Fault["fault"]
  readonly title: string
  readonly description: string
  /** Whether the SMS is accepted first. */
  readonly accepts: boolean
}>

export const faults = FAULTS
