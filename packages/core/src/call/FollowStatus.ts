/**
 * Reads the status of one SMS until a record satisfies the caller.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import { InvalidInput } from "../errors/InvalidInput.ts"
import { StillPending } from "../errors/StillPending.ts"
import type { SmsStatusRecord } from "../operations/Model.ts"
import type { GetSmsStatusError } from "../operations/GetSmsStatus.ts"
import type { MessagingTopupService } from "./Service.ts"
import { parseTimeout, timeoutAdvice } from "./Timeout.ts"

export interface FollowOptions {
  readonly until: (record: SmsStatusRecord) => boolean
  readonly schedule: Schedule.Schedule<unknown>
  readonly timeout: Duration.Input
  readonly continueOn?: ((error: GetSmsStatusError) => boolean) | undefined
}

export const followStatus = Effect.fnUntraced(function* (
  { getSmsStatus }: Pick<MessagingTopupService, "getSmsStatus">,
  messageId: string,
  { continueOn = () => false, schedule, timeout, until }: FollowOptions
): Effect.fn.Return<SmsStatusRecord, GetSmsStatusError | StillPending> {
  const duration = parseTimeout(timeout)
  if (Option.isNone(duration)) {
    return yield* new InvalidInput({
      field: "timeout",
      problem: timeoutAdvice,
      operation: "awaitSmsStatus"
    })
  }
  let lastRecord: SmsStatusRecord | undefined
  const stillPending = Effect.suspend(() =>
    Effect.fail(new StillPending(lastRecord === undefined ? {} : { lastRecord }))
  )
  const found = yield* getSmsStatus(messageId).pipe(
    Effect.map(({ data }) => {
      lastRecord = data.at(-1) ?? lastRecord
      return data.find(until)
    }),
    Effect.catchIf(continueOn, () => Effect.undefined),
    Effect.repeat({ schedule, until: (record) => record !== undefined }),
    Effect.timeoutOrElse({ duration: duration.value, orElse: () => stillPending })
  )
  if (found === undefined) return yield* stillPending
  return found
})
