/**
 * Whether an SMS went out, as the error of a send tells it.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import type { Aborted } from "./errors/Aborted.ts"
import type { ClientClosed } from "./errors/ClientClosed.ts"
import { ConnectionFailed } from "./errors/ConnectionFailed.ts"
import { ConnectionLost } from "./errors/ConnectionLost.ts"
import {
  AuthenticationFailed,
  InsufficientPermissions,
  InternalServerError,
  InvalidRequest,
  NotFound,
  PaymentRequired
} from "./errors/DocumentedErrors.ts"
import { InvalidInput } from "./errors/InvalidInput.ts"
import { InvalidResponse } from "./errors/InvalidResponse.ts"
import { RequestTimedOut } from "./errors/RequestTimedOut.ts"
import { UndocumentedStatus } from "./errors/UndocumentedStatus.ts"
import {
  outcomeOfStatus,
  outcomeOfUndocumentedStatus,
  outcomeOfInvalidBody
} from "./internal/FailureOutcome.ts"
import { type SendSmsError, SendSmsResponse } from "./operations/SendSms.ts"

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

/** A known outcome comes first: an interruption after a 202 does not make the outcome unknown. */
const ofCause = (cause: Cause.Cause<unknown>): SendOutcome => {
  const outcomes = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) && isSendSmsError(reason.error) ? ofError(reason.error) : "unknown"
  )
  if (outcomes.includes("sent")) return "sent"
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "not-sent")
    ? "not-sent"
    : "unknown"
}

/**
 * An untyped caller can pass another success, such as a time-out or a failure turned into a value.
 */
const isSendSmsResponse = SchemaParser.is(SendSmsResponse)

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
  if (Exit.isExit(failure)) {
    if (Exit.isFailure(failure)) return ofCause(failure.cause)
    return isSendSmsResponse(failure.value) ? "sent" : "unknown"
  }
  if (Cause.isCause(failure)) return ofCause(failure)
  return isOfOtherOperation(failure) ? "unknown" : ofError(failure)
}
