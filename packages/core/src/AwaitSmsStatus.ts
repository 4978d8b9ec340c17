/**
 * Follows one SMS until its status satisfies the caller.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import type { StillPending } from "./errors/StillPending.ts"
import { followStatus } from "./call/FollowStatus.ts"
import { MessagingTopup } from "./MessagingTopup.ts"
import type { SmsStatusRecord } from "./operations/Model.ts"
import type { GetSmsStatusError } from "./operations/GetSmsStatus.ts"

/**
 * How often the status is read, and when the wait ends.
 *
 * @since 0.1.0
 */
export interface AwaitSmsStatusOptions {
  /**
   * Returns true if this record ends the wait. The service does not document which statuses are
   * final.
   */
  readonly until: (record: SmsStatusRecord) => boolean
  /** When the status is read again. When the schedule ends, the wait fails with `StillPending`. */
  readonly schedule: Schedule.Schedule<unknown>
  /** The time-out of the whole wait. Positive and finite. */
  readonly timeout: Duration.Input
  /**
   * Returns true if the wait continues after this error, such as a `NotFound` right after the send
   * or a short outage. By default, every error ends the wait.
   */
  readonly continueOn?: ((error: GetSmsStatusError) => boolean) | undefined
}

/**
 * Reads the status of an SMS until a record satisfies `until`, and succeeds with the first record
 * of the response that does.
 *
 * Errors: an error of `getSmsStatus` ends the wait, unless `continueOn` returns true for it.
 * `StillPending` when the time-out or the schedule ends first.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
export const awaitSmsStatus = (
  messageId: string,
  options: AwaitSmsStatusOptions
): Effect.Effect<SmsStatusRecord, GetSmsStatusError | StillPending, MessagingTopup> =>
  Effect.flatMap(MessagingTopup, (service) => followStatus(service, messageId, options))
