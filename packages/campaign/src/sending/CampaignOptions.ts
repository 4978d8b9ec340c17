/** The options of a campaign. */
import type * as Duration from "effect/Duration"

/**
 * Hours of each day in which nothing is sent. `from` and `to` are `HH:MM`. If `from` is later than `to`,
 * the hours span midnight.
 */
export interface QuietHours {
  readonly from: string
  readonly to: string
  /**
   * A name of the IANA database, such as `Africa/Nairobi`. Daylight saving time is taken into account.
   */
  readonly timeZone: string
}

/**
 * How a campaign is sent. All processes that send the same campaign should have the same options.
 */
export interface CampaignOptions {
  /**
   * Maximum requests in flight in this process, 1 to 1000. It begins with one, and each sent SMS doubles
   * that number. Default: 50.
   */
  readonly concurrency?: number
  /** Maximum messages per second of this campaign, for all its processes together. Default: no limit. */
  readonly messagesPerSecond?: number
  /** Maximum segments per second of this campaign, for all its processes together. Default: no limit. */
  readonly segmentsPerSecond?: number
  /**
   * Maximum messages per second of the account: of all campaigns on the journal together, if all have this
   * option. Default: no limit.
   */
  readonly accountMessagesPerSecond?: number
  /** Maximum segments per second of the account, in the same way. Default: no limit. */
  readonly accountSegmentsPerSecond?: number
  /**
   * Pauses the campaign after so many SMS in a row that were not sent, 1 to 1,000,000. A process
   * counts over all its slices; `runSlice` counts within its attempt. 429, 503 and failed connections do
   * not count. Default: 100.
   */
  readonly maxFailuresInARow?: number
  /**
   * Maximum tries of a row that does not go out, 1 to 5. 429 and failed connections do not count as
   * tries: the campaign slows down until they end. Default: 5.
   */
  readonly tries?: number
  /** Hours of each day in which nothing is sent. Default: none. */
  readonly quietHours?: QuietHours
  /**
   * The longest pause after 429, 503 or a failed connection, even if `Retry-After` is longer. Default: 10
   * minutes.
   */
  readonly maxPause?: Duration.Input
}
