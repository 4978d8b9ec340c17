/**
 * How a campaign is sent.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"

/**
 * Hours of a day in which nothing is sent. `from` and `to` are `HH:MM`; where `from` is later than `to`,
 * they span midnight.
 *
 * @since 0.1.0
 */
export interface QuietHours {
  readonly from: string
  readonly to: string
  /** As the IANA database names it, such as `Africa/Nairobi`. Changes of daylight saving are followed. */
  readonly timeZone: string
}

/**
 * The settings of a run. All processes that send the same campaign should have the same.
 *
 * @since 0.1.0
 */
export interface CampaignOptions {
  /** Maximum requests of this process at a time. Default: 50. */
  readonly concurrency?: number
  /** Maximum messages a second, of all processes that share the journal. Default: no limit. */
  readonly messagesPerSecond?: number
  /** Maximum segments a second, of all processes that share the journal. Default: no limit. */
  readonly segmentsPerSecond?: number
  /**
   * After so many sends in a row that were not accepted, the campaign is paused. A process counts over all
   * its slices; `runSlice` within its attempt. Default: 100.
   */
  readonly maxFailuresInARow?: number
  /**
   * How often a row is tried that did not go out, 1 to 5. A service that cannot be reached, and 429, do
   * not count: the campaign slows down until they are over. Default: 5.
   */
  readonly tries?: number
  /** Default: none. */
  readonly quietHours?: QuietHours
  /** The longest pause after 429, 503 or a lost connection, whatever `Retry-After` says. Default: 10 minutes. */
  readonly maxPause?: Duration.Input
}
