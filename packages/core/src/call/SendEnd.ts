/** How one call of `sendSms` ended, and whether its SMS went out. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import type { SendSmsError } from "../errors/DocumentedErrors.ts"
import { type Failure, isFailure, type SendOutcome } from "../errors/Failure.ts"
import type { SendResult } from "../operations/Model.ts"
import { NeededSendSmsResponse } from "../operations/Schemas.ts"
import { type CallProgress, CallsInProgress } from "./CallProgress.ts"

export type { SendOutcome }

/**
 * How one call of `sendSms` ended. What stores, reports or resends a send decides by this.
 */
export interface SendEnd<A, E> {
  readonly outcome: SendOutcome
  /** What the service accepted. Empty if the SMS was not sent, if its response could not be read, or after `sendOnce`. */
  readonly results: ReadonlyArray<SendResult>
  /** The first error of the send. Absent after a success, an interruption or a defect. */
  readonly error?: SendSmsError
  /** What the call itself returned. */
  readonly exit: Exit.Exit<A, E>
}

/**
 * A cause can hold other errors of the program: of a later read, of a time-out, or of the program's
 * own with one of our tags. They say nothing about the send.
 */
type SaysOutcome = Failure & { readonly sendOutcome: SendOutcome }

const saysOutcome = (error: unknown): error is SaysOutcome =>
  isFailure(error) && error.sendOutcome !== undefined

/** Other errors that say whether an SMS went out are those of the journal. */
const isSendSmsError = (error: SaysOutcome): error is SaysOutcome & SendSmsError =>
  error.operation === "sendSms"

const sendErrors = (cause: Cause.Cause<unknown>) =>
  cause.reasons
    .filter(Cause.isFailReason)
    .map(({ error }) => error)
    .filter(saysOutcome)

/** A program's own service can return what is no response. */
const decodeResponse = SchemaParser.decodeUnknownResult(NeededSendSmsResponse)

const resultsOf = (response: unknown): ReadonlyArray<SendResult> | undefined => {
  const decoded = decodeResponse(response)
  const { data, success } = Result.isSuccess(decoded) ? decoded.success : {}
  return success === true && data !== undefined && data.length > 0 ? data : undefined
}

/** The result of the journal's `sendOnce`: this call sent the SMS, or an earlier one. */
const isSentOnce = (value: unknown): boolean =>
  Predicate.hasProperty(value, "isEarlier") &&
  Predicate.isBoolean(value.isEarlier) &&
  Predicate.hasProperty(value, "messages") &&
  Array.isArray(value.messages)

/**
 * `hasStarted` says whether the request may have started.
 *
 * A known outcome comes first: an interruption after a 202 does not make the outcome unknown. Any
 * other reason, such as an interruption or a defect, says nothing about a request that has started.
 */
export const outcomeOf = (exit: Exit.Exit<unknown, unknown>, hasStarted: boolean): SendOutcome => {
  if (Exit.isSuccess(exit)) {
    return isSentOnce(exit.value) || resultsOf(exit.value) !== undefined ? "sent" : "unknown"
  }
  const { reasons } = exit.cause
  const outcomes = sendErrors(exit.cause).map(({ sendOutcome }) => sendOutcome)
  if (outcomes.includes("sent")) return "sent"
  const isKnown = outcomes.length > 0 && outcomes.length === reasons.length
  // A transport that died may not have said that the request started.
  const mayHaveStarted = hasStarted || reasons.some(Cause.isDieReason)
  return outcomes.includes("unknown") || (mayHaveStarted && !isKnown) ? "unknown" : "not-sent"
}

/**
 * Runs one call of `sendSms`, and returns how it ended.
 *
 * If the call is interrupted before its request starts, the outcome is `"not-sent"`, after it `"unknown"`.
 * With a service that is not of this package, a call that began counts as started.
 *
 * To learn the end of a call that is interrupted, run this where nothing is interruptible, and pass what makes
 * the call interruptible: `Effect.uninterruptibleMask((restore) => endOfSend(sendSms(request), restore))`.
 * Provide `MayStart` to the whole.
 */
export const endOfSend = <A, E, R>(
  call: Effect.Effect<A, E, R>,
  restore: (call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = identity
): Effect.Effect<SendEnd<A, E>, never, R> =>
  Effect.suspend(() => {
    const calls: Array<CallProgress> = []
    let hasBegun = false
    // Within what is interruptible: a call that is interrupted at once does not begin.
    const calling = restore(
      Effect.suspend(() => {
        hasBegun = true
        return call
      })
    )
    const noted = Effect.provideService(calling, CallsInProgress, calls)
    return Effect.map(Effect.exit(noted), (exit): SendEnd<A, E> => {
      const hasStarted = hasBegun && (calls.length === 0 || calls.some(({ started }) => started))
      const error = Exit.isFailure(exit) ? sendErrors(exit.cause).find(isSendSmsError) : undefined
      return {
        outcome: outcomeOf(exit, hasStarted),
        results: Exit.isSuccess(exit) ? (resultsOf(exit.value) ?? []) : [],
        ...(error === undefined ? {} : { error }),
        exit
      }
    })
  })

/**
 * Returns whether an SMS went out, for an error of `sendSms` or of the journal's `sendOnce`, or for the
 * `Cause` or the `Exit` of one send.
 *
 * An interruption, an outer time-out, a defect and an error that is not of `sendSms` are
 * `"unknown"`, because the request may have started. In an `Exit`, the response of `sendSms` and the result of
 * `sendOnce` are `"sent"`. Any other value is `"unknown"`, also what a program made of a response, and a copy of an
 * error, as `structuredClone` makes it.
 */
export const sendOutcome = (failure: unknown): SendOutcome => {
  if (Exit.isExit(failure)) return outcomeOf(failure, true)
  if (Cause.isCause(failure)) return outcomeOf(Exit.failCause(failure), true)
  return saysOutcome(failure) ? failure.sendOutcome : "unknown"
}
