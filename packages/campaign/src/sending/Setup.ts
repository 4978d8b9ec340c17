/**
 * Checks the options of a campaign and applies the defaults.
 */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type { CampaignOptions } from "./CampaignOptions.ts"
import { makeShared, type Setup } from "./Attempt.ts"
import * as Pace from "./Pace.ts"
import * as QuietHours from "./QuietHours.ts"

const defaults = { concurrency: 50, maxFailuresInARow: 100, tries: 5 } as const

const checked = (field: keyof typeof defaults, value: number, maximum: number) =>
  Number.isInteger(value) && value >= 1 && value <= maximum
    ? Effect.succeed(value)
    : Effect.fail(
        new InvalidInput({
          operation: "campaign",
          field,
          problem: `it must be a whole number from 1 to ${maximum}`
        })
      )

export const checkedRate = (field: string, value: number | undefined) =>
  value === undefined || (Number.isFinite(value) && value > 0)
    ? Effect.void
    : Effect.fail(
        new InvalidInput({ operation: "campaign", field, problem: "it must be a number above 0" })
      )

/**
 * Returns the setup of attempts. Attempts with the same setup share their pace and their count of
 * failures.
 */
export const make = Effect.fnUntraced(function* (options: CampaignOptions, emit: Setup["emit"]) {
  for (const { option } of Pace.rateOptions) yield* checkedRate(option, options[option])
  const { concurrency, maxFailuresInARow, tries } = { ...defaults, ...options }
  const setup: Setup = {
    pace: yield* Pace.make(options, yield* checked("concurrency", concurrency, 1000)),
    shared: makeShared(),
    quietUntil: yield* QuietHours.make(options.quietHours),
    tries: yield* checked("tries", tries, defaults.tries),
    maxFailuresInARow: yield* checked("maxFailuresInARow", maxFailuresInARow, 1_000_000),
    emit
  }
  return setup
})
