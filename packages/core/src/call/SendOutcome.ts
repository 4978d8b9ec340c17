/**
 * Whether an SMS went out, as the error of a send tells it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import type { Aborted } from "../errors/Aborted.ts"
import type { ClientClosed } from "../errors/ClientClosed.ts"
import { ConnectionFailed } from "../errors/ConnectionFailed.ts"
import { ConnectionLost } from "../errors/ConnectionLost.ts"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound,
  PaymentRequired
} from "../errors/DocumentedErrors.ts"
import { InvalidInput } from "../errors/InvalidInput.ts"
import { InvalidResponse } from "../errors/InvalidResponse.ts"
import { RequestTimedOut } from "../errors/RequestTimedOut.ts"
import { UndocumentedStatus } from "../errors/UndocumentedStatus.ts"
import {
  outcomeOfStatus,
  outcomeOfUndocumentedStatus,
  outcomeOfInvalidBody
} from "../errors/FailureOutcome.ts"
import { type SendResult, type SendSmsError, SendSmsResponse } from "../operations/SendSms.ts"

/**
 * Whether an SMS went out.
 *
 * - `"not-sent"`: the SMS did not go out. It is safe to send it again.
 * - `"unknown"`: the SMS may have gone out, and the service offers no way to find out. This library never
 *   resends it; a person decides.
 * - `"sent"`: the service accepted the SMS. Do not send it again.
 *
 * @since 0.1.0
 */
export type SendOutcome = "not-sent" | "unknown" | "sent"

type SendFailure = SendSmsError | Aborted | ClientClosed

const ofError = (error: SendFailure): SendOutcome => {
  switch (error._tag) {
    case "InvalidInput":
    case "ConnectionFailed":
    case "ClientClosed":
    case "InvalidRequest":
    case "AuthenticationFailed":
    case "PaymentRequired":
    case "InsufficientPermissions":
    case "NotFound":
      return "not-sent"
    case "UndocumentedStatus":
      return outcomeOfUndocumentedStatus(error.status)
    case "InvalidResponse":
      return outcomeOfInvalidBody(error)
    case "ConnectionLost":
      return outcomeOfStatus(error.status)
    case "RequestTimedOut":
      return error.started ? outcomeOfStatus(error.status) : "not-sent"
    case "InternalServerError":
      return "unknown"
    case "Aborted":
      return error.started ? "unknown" : "not-sent"
  }
}

const classes: Readonly<Record<SendSmsError["_tag"], new (...args: never) => SendSmsError>> = {
  InvalidInput,
  ConnectionFailed,
  InvalidRequest,
  AuthenticationFailed,
  PaymentRequired,
  InsufficientPermissions,
  NotFound,
  UndocumentedStatus,
  InvalidResponse,
  ConnectionLost,
  RequestTimedOut,
  InternalServerError
}

const isTag = (tag: unknown): tag is SendSmsError["_tag"] =>
  Predicate.isString(tag) && Object.hasOwn(classes, tag)

/**
 * A cause can hold other errors of the program: of a later read, of a time-out, or of the program's
 * own with one of our tags. They say nothing about the send.
 */
const isSendSmsError = (error: unknown): error is SendSmsError =>
  Predicate.hasProperty(error, "_tag") &&
  isTag(error._tag) &&
  error instanceof classes[error._tag] &&
  error.operation === "sendSms"

/**
 * How one call of `sendSms` ended: the decision that whatever stores, reports or resends a send is
 * based on.
 *
 * @since 0.1.0
 */
export interface SendEnd {
  readonly outcome: SendOutcome
  /** What the service accepted. Empty if the SMS was not sent, or if its response could not be read. */
  readonly results: ReadonlyArray<SendResult>
  /** The first error of the send. Absent after a success, an interruption or a defect. */
  readonly error?: SendSmsError
}

/**
 * An untyped caller can pass another success, such as a time-out or a failure turned into a value.
 */
const isSendSmsResponse = SchemaParser.is(SendSmsResponse)

/**
 * A known outcome comes first: an interruption after a 202 does not make the outcome unknown. Any
 * other reason, such as an interruption or a defect, says nothing about a request that has started.
 */
const endOfCause = (cause: Cause.Cause<unknown>, hasStarted: boolean): SendEnd => {
  const errors = cause.reasons
    .filter(Cause.isFailReason)
    .map(({ error }) => error)
    .filter(isSendSmsError)
  const outcomes = new Set(errors.map(ofError))
  if (hasStarted && (errors.length === 0 || errors.length < cause.reasons.length)) {
    outcomes.add("unknown")
  }
  const [error] = errors
  return {
    outcome: outcomes.has("sent") ? "sent" : outcomes.has("unknown") ? "unknown" : "not-sent",
    results: [],
    ...(error === undefined ? {} : { error })
  }
}

/**
 * Returns how one call of `sendSms` ended. `hasStarted` says whether its request may have started: a
 * call that was interrupted before is `"not-sent"`, after it `"unknown"`. If in doubt, pass `true`.
 *
 * @since 0.1.0
 */
export const endOfSend = (exit: Exit.Exit<unknown, unknown>, hasStarted: boolean): SendEnd => {
  if (Exit.isFailure(exit)) return endOfCause(exit.cause, hasStarted)
  return isSendSmsResponse(exit.value)
    ? { outcome: "sent", results: exit.value.data }
    : { outcome: "unknown", results: [] }
}

/**
 * Errors of other operations have the same types, so that the compiler does not tell them apart.
 */
const isOfOtherOperation = (error: SendFailure): boolean =>
  Predicate.hasProperty(error, "operation") && error.operation !== "sendSms"

/**
 * Returns whether an SMS went out, for an error of `sendSms` or for the `Cause` or the `Exit` of
 * one send.
 *
 * An interruption, an outer time-out, a defect and an error that is not of `sendSms` are
 * `"unknown"`, because the request may have started. The response of `sendSms` is `"sent"`. Any
 * other success is `"unknown"`.
 *
 * @since 0.1.0
 */
export const sendOutcome = (
  failure: SendFailure | Cause.Cause<unknown> | Exit.Exit<SendSmsResponse, unknown>
): SendOutcome => {
  if (Exit.isExit(failure)) return endOfSend(failure, true).outcome
  if (Cause.isCause(failure)) return endOfCause(failure, true).outcome
  return isOfOtherOperation(failure) ? "unknown" : ofError(failure)
}
