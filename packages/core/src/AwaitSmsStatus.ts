/**
 * Follows one SMS until its status satisfies the caller.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import type { StillPending } from "./errors/StillPending.ts"
import { followStatus } from "./internal/FollowStatus.ts"
import { MessagingTopup } from "./MessagingTopup.ts"
import type { SmsStatusRecord } from "./Model.ts"
import type { GetSmsStatusError } from "./operations/GetSmsStatus.ts"

/**
 * When to ask again, and when to stop.
 *
 * @since 0.1.0
 */
export interface AwaitSmsStatusOptions {
  /** Whether this record ends the wait. Which statuses are final is not documented. */
  readonly until: (record: SmsStatusRecord) => boolean
  /** When to ask again; the wait also ends, as `StillPending`, when the schedule does. */
  readonly schedule: Schedule.Schedule<unknown>
  /** For the whole wait; positive and finite. */
  readonly timeout: Duration.Input
  /**
   * Whether the wait goes on after this error, such as a `NotFound` right after the send or a short
   * outage. Default: every error ends the wait.
   */
  readonly continueOn?: ((error: GetSmsStatusError) => boolean) | undefined
}

/**
 * Reads the status of an SMS until a record satisfies `until`, and succeeds with the first record of
 * the response that does.
 *
 * Errors: those of `getSmsStatus` end the wait as they are, unless `continueOn` says otherwise;
 * `StillPending` when the time is up.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
export const awaitSmsStatus = (
  messageId: string,
  options: AwaitSmsStatusOptions
): Effect.Effect<SmsStatusRecord, GetSmsStatusError | StillPending, MessagingTopup> =>
  Effect.flatMap(MessagingTopup, (service) => followStatus(service, messageId, options))
