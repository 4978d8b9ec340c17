/** The options of `sendMany`. */
import { InvalidInput } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type { SendManyEvent } from "../model/Campaign.ts"

/**
 * Hours of each day in which nothing is sent. `from` and `to` are `HH:MM`. If `from` is later than `to`,
 * the hours span midnight.
 */
export interface QuietHours {
  readonly from: string
  readonly to: string
  /** A name of the IANA database, such as `Africa/Nairobi`. Daylight saving time is taken into account. */
  readonly timeZone: string
}

/** How `sendMany` sends. All processes that send the same campaign should have the same options. */
export interface SendManyOptions {
  /** The name of the campaign. A row is the same send as `{ campaign, key }` in `sendOnce`. */
  readonly campaign: string
  /**
   * Maximum requests in flight in this process, 1 to 1000. It begins with one, and each sent SMS doubles
   * that number. Default: 50.
   */
  readonly concurrency?: number | undefined
  /** Maximum messages per second of this campaign, for all its processes together. Default: no limit. */
  readonly messagesPerSecond?: number | undefined
  /** Hours of each day in which nothing is sent. Default: none. */
  readonly quietHours?: QuietHours | undefined
  /**
   * Sends rows again that the service refused in an earlier run; they may have changed since. Default:
   * false.
   */
  readonly retryRejected?: boolean
  /**
   * Whether a recipient may get several SMS of the campaign. If not, a row is refused whose recipient another
   * row has that was sent, or may have been. Default: true.
   */
  readonly allowRepeats?: boolean
  /** Gets the events. Sending waits for it. Default: nothing. */
  readonly onEvent?: (event: SendManyEvent) => Effect.Effect<void>
}

/** Each request in flight needs a connection. */
export const maxConcurrency = 1000

const wrong = (field: string, problem: string) =>
  Effect.fail(new InvalidInput({ field, problem, operation: "sendMany" }))

type Rates = Pick<SendManyOptions, "concurrency" | "messagesPerSecond">

/** Checks the numbers, and applies the defaults. */
export const checked = ({ concurrency = 50, messagesPerSecond: rate }: Rates) => {
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > maxConcurrency) {
    return wrong("concurrency", `it must be a whole number from 1 to ${maxConcurrency}`)
  }
  return rate === undefined || (Number.isFinite(rate) && rate > 0)
    ? Effect.succeed({ concurrency, messagesPerSecond: rate })
    : wrong("messagesPerSecond", "it must be a number above 0")
}
