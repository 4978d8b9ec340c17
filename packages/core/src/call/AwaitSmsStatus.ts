/** Reads the status of one SMS until a record satisfies the caller. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schedule from "effect/Schedule"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../errors/ClientFailures.ts"
import { errorClass } from "../errors/ErrorClass.ts"
import { type GetSmsStatusError, SmsStatusRecord } from "../operations/GetSmsStatus.ts"
import type { MessagingTopupService } from "./Service.ts"
import { parseTimeout, timeoutAdvice } from "./Settings.ts"

/**
 * No record satisfied `until` before the time-out or the schedule ended.
 *
 * `lastRecord` is the last record that was read, if any. It holds a phone number, so printing the
 * error does not show it.
 */
export class StillPending extends errorClass<StillPending>()(
  "StillPending",
  { lastRecord: Schema.optionalKey(SmsStatusRecord) },
  {
    message: () =>
      "The SMS did not reach the expected status in time; error.lastRecord holds the last record that was read",
    hidden: { lastRecord: undefined }
  }
) {}

/** How often the status is read, and when the wait ends. */
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

const wrong = (field: string, problem: string) =>
  new InvalidInput({ field, problem, operation: "awaitSmsStatus" })

export const followStatus = Effect.fnUntraced(function* (
  { getSmsStatus }: Pick<MessagingTopupService, "getSmsStatus">,
  messageId: string,
  { continueOn = () => false, schedule, timeout, until }: AwaitSmsStatusOptions
): Effect.fn.Return<SmsStatusRecord, GetSmsStatusError | StillPending> {
  const duration = parseTimeout(timeout)
  if (duration === undefined) {
    return yield* wrong("timeout", timeoutAdvice)
  }
  let lastRecord: SmsStatusRecord | undefined
  const stillPending = Effect.suspend(() =>
    Effect.fail(new StillPending(lastRecord === undefined ? {} : { lastRecord }))
  )
  const found = yield* getSmsStatus(messageId).pipe(
    Effect.map(({ data }) => data),
    Effect.catchIf(continueOn, () => Effect.succeed([])),
    Effect.flatMap((records) => {
      lastRecord = records.at(-1) ?? lastRecord
      let ends: unknown
      const first = records.find((record) => (ends = until(record)))
      // A promise would end the wait at once, because every object counts as true.
      return Predicate.isPromiseLike(ends)
        ? wrong("until", "Expected a function that returns true or false, not a promise")
        : Effect.succeed(first)
    }),
    Effect.repeat({ schedule, until: (record) => record !== undefined }),
    Effect.timeoutOrElse({ duration, orElse: () => stillPending })
  )
  if (found === undefined) return yield* stillPending
  return found
})
