/**
 * Whether a send went out.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { Aborted } from "./errors/Aborted.ts"
import type { ClientClosed } from "./errors/ClientClosed.ts"
import type { SendSmsError } from "./operations/SendSms.ts"

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

const accepted = 202

const whenResponded = (status: number | undefined): SendOutcome =>
  status === accepted ? "sent" : "unknown"

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
      return error.status === 429 ? "not-sent" : "unknown"
    case "InvalidResponse":
      return error.success === false ? "unknown" : whenResponded(error.status)
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

const tags: Readonly<Record<SendFailure["_tag"], true>> = {
  InvalidInput: true,
  ConnectionFailed: true,
  ClientClosed: true,
  InvalidRequest: true,
  AuthenticationFailed: true,
  PaymentRequired: true,
  InsufficientPermissions: true,
  NotFound: true,
  UndocumentedStatus: true,
  InvalidResponse: true,
  ConnectionLost: true,
  RequestTimedOut: true,
  InternalServerError: true,
  Aborted: true
}

/** A cause can hold errors of the program around the send, such as its own time-out. */
const isSendFailure = (error: unknown): error is SendFailure =>
  Predicate.hasProperty(error, "_tag") &&
  Predicate.isString(error._tag) &&
  Object.hasOwn(tags, error._tag)

/** What is known of the send counts before what is not: an interruption after a 202 lost nothing. */
const ofCause = (cause: Cause.Cause<unknown>): SendOutcome => {
  const outcomes = cause.reasons.map((reason) =>
    Cause.isFailReason(reason) && isSendFailure(reason.error) ? ofError(reason.error) : "unknown"
  )
  if (outcomes.includes("sent")) return "sent"
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "not-sent")
    ? "not-sent"
    : "unknown"
}

/**
 * Says whether an SMS went out: for an error of `sendSms`, or for the `Cause` or the `Exit` of one
 * send.
 *
 * An interruption, an outer time-out, a defect and an error of another kind are `"unknown"`: the
 * request may have started. A success is `"sent"`.
 *
 * @since 0.1.0
 */
export const sendOutcome = (
  failure: SendFailure | Cause.Cause<unknown> | Exit.Exit<unknown, unknown>
): SendOutcome => {
  if (Exit.isExit(failure)) {
    return Exit.isSuccess(failure) ? "sent" : ofCause(failure.cause)
  }
  return Cause.isCause(failure) ? ofCause(failure) : ofError(failure)
}
