/**
 * Follows one SMS until its status satisfies the caller.
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { InvalidInput } from "./errors/InvalidInput.ts"
import { hide, visible } from "./internal/ErrorRendering.ts"
import { parseTimeout, timeoutAdvice } from "./internal/Timeout.ts"
import { MessagingTopup } from "./MessagingTopup.ts"
import { type GetSmsStatusError, SmsStatusRecord } from "./operations/GetSmsStatus.ts"

/**
 * The time was up before a record satisfied `until`.
 *
 * `lastRecord` is the last record that was read, absent where none was. It holds a phone number and
 * is in no rendering of the error.
 *
 * @since 0.1.0
 */
export class StillPending extends Schema.TaggedError<StillPending>()("StillPending", {
  lastRecord: Schema.optionalKey(SmsStatusRecord)
}) {
  constructor(props: { readonly lastRecord?: SmsStatusRecord }, options?: Schema.MakeOptions) {
    super(props, options)
    hide(this, "lastRecord")
  }
  override get message(): string {
    return "The time was up before the SMS had the status that was waited for; error.lastRecord holds the last one read"
  }
  override toJSON(): object {
    return visible(this)
  }
}

/**
 * When to ask again, and when to stop.
 *
 * @since 0.1.0
 */
export interface AwaitSmsStatusOptions {
  /** Whether this record ends the wait. Which statuses are final is not documented. */
  readonly until: (record: SmsStatusRecord) => boolean
  /** When to ask again; the wait also ends, as `StillPending`, where the schedule does. */
  readonly schedule: Schedule.Schedule<unknown>
  /** For the whole wait; positive and finite. */
  readonly timeout: Duration.Input
}

/**
 * Reads the status of an SMS until a record satisfies `until`, and succeeds with the first record of
 * the response that does.
 *
 * Errors: those of `getSmsStatus` end the wait as they are; `StillPending` when the time is up.
 *
 * Source: service description §4.2, GET /sms/{message_id}
 * @since 0.1.0
 */
export const awaitSmsStatus = Effect.fnUntraced(function* (
  messageId: string,
  { schedule, timeout, until }: AwaitSmsStatusOptions
): Effect.fn.Return<SmsStatusRecord, GetSmsStatusError | StillPending, MessagingTopup> {
  const service = yield* MessagingTopup
  const duration = parseTimeout(timeout)
  if (Option.isNone(duration)) {
    return yield* new InvalidInput({ field: "timeout", problem: timeoutAdvice })
  }
  let lastRecord: SmsStatusRecord | undefined
  const stillPending = Effect.suspend(() =>
    Effect.fail(new StillPending(lastRecord === undefined ? {} : { lastRecord }))
  )
  const found = yield* service.getSmsStatus(messageId).pipe(
    Effect.map(({ data }) => {
      lastRecord = data.at(-1) ?? lastRecord
      return data.find(until)
    }),
    Effect.repeat({ schedule, until: (record) => record !== undefined }),
    Effect.timeoutOrElse({ duration: duration.value, orElse: () => stillPending })
  )
  if (found === undefined) return yield* stillPending
  return found
})
