/**
 * Whether a send went out.
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
import { whenResponded, whenUndocumented, whenUnreadable } from "./internal/AfterSend.ts"
import { type SendSmsError, SendSmsResponse } from "./operations/SendSms.ts"

/**
 * - `"not-sent"`: it did not go out; sending again is safe.
 * - `"unknown"`: it may have gone out, and the service offers nothing to look it up by. This library
 *   never resends it; a person decides.
 * - `"sent"`: the service accepted it; do not send again.
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
      return whenUndocumented(error.status)
    case "InvalidResponse":
      return whenUnreadable(error)
    case "ConnectionLost":
      return whenResponded(error.status)
    case "RequestTimedOut":
      return error.started ? whenResponded(error.status) : "not-sent"
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
 * A cause can hold errors of the program around the send: of a read that followed it, of its own with
 * one of our tags, of its time-out. None of them says anything of the send.
 */
const isSendSmsError = (error: unknown): error is SendSmsError =>
  Predicate.hasProperty(error, "_tag") &&
  isTag(error._tag) &&
  error instanceof classes[error._tag] &&
  error.operation === "sendSms"

/** What is known of the send counts before what is not: an interruption after a 202 lost nothing. */
const ofCause = (cause: Cause.Cause<unknown>): SendOutcome => {
  const outcomes = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) && isSendSmsError(reason.error) ? ofError(reason.error) : "unknown"
  )
  if (outcomes.includes("sent")) return "sent"
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "not-sent")
    ? "not-sent"
    : "unknown"
}

/** Without types, a success can be a time-out that became `None`, or a failure that became a value. */
const isSendSmsResponse = SchemaParser.is(SendSmsResponse)

/** An error of another operation has the type of one of `sendSms`. */
const isOfAnother = (error: SendFailure): boolean =>
  Predicate.hasProperty(error, "operation") && error.operation !== "sendSms"

/**
 * Says whether an SMS went out: for an error of `sendSms`, or for the `Cause` or the `Exit` of one
 * send.
 *
 * An interruption, an outer time-out, a defect and an error of anything but `sendSms` are `"unknown"`:
 * the request may have started. The response of `sendSms` is `"sent"`; any other success is
 * `"unknown"`.
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
  return isOfAnother(failure) ? "unknown" : ofError(failure)
}
