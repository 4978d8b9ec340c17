/** Checks the options of `sendMany`. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type { CampaignOptions } from "../model/Campaign.ts"

/** Each request in flight needs a connection. */
export const maxConcurrency = 1000

const wrong = (field: string, problem: string) =>
  Effect.fail(new InvalidInput({ field, problem, operation: "sendMany" }))

type Rates = Pick<CampaignOptions, "concurrency" | "messagesPerSecond">

/** Checks the numbers, and applies the defaults. */
export const checked = ({ concurrency = 50, messagesPerSecond: rate }: Rates) => {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency) {
    return wrong("concurrency", `it must be a whole number from 1 to ${maxConcurrency}`)
  }
  return rate === undefined || (Number.isFinite(rate) && rate > 0)
    ? Effect.succeed({ concurrency, messagesPerSecond: rate })
    : wrong("messagesPerSecond", "it must be a number above 0")
}
