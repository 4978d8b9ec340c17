/** Whether an SMS went out, as the error of a send tells it. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import { documentedErrors, isDocumentedError } from "../errors/DocumentedErrors.ts"
import { isOwnError } from "../errors/ErrorClass.ts"
import {
  outcomeOfInvalidBody,
  outcomeOfStatus,
  outcomeOfUndocumentedStatus,
  type SendOutcome
} from "../errors/FailureOutcome.ts"
import type { Aborted, ClientClosed } from "../errors/PromiseErrors.ts"
import { NeededSendSmsResponse, type SendResult, type SendSmsError } from "../operations/SendSms.ts"

export type { SendOutcome }

/** An instance of any error class of this package. */
type OwnError =
  | SendSmsError
  | Aborted
  | ClientClosed
  | { readonly _tag: "ConfigurationError" | "StillPending" }

const ofError = (error: OwnError): SendOutcome => {
  if (isDocumentedError(error)) return documentedErrors[error._tag].sendOutcome
  switch (error._tag) {
    case "InvalidInput":
    case "TokenUnavailable":
    case "ConnectionFailed":
    case "ClientClosed":
      return "not-sent"
    case "UndocumentedStatus":
      return outcomeOfUndocumentedStatus(error.status)
    case "InvalidResponse":
      return outcomeOfInvalidBody(error)
    case "ConnectionLost":
      return outcomeOfStatus(error.status)
    case "RequestTimedOut":
    case "Aborted":
      return error.started ? outcomeOfStatus(error.status) : "not-sent"
    case "ConfigurationError":
    case "StillPending":
      return "unknown"
  }
}

/**
 * A cause can hold other errors of the program: of a later read, of a time-out, or of the program's
 * own with one of our tags. They say nothing about the send.
 */
const isSendSmsError = (error: unknown): error is SendSmsError =>
  isOwnError(error) && Predicate.hasProperty(error, "operation") && error.operation === "sendSms"

/**
 * How one call of `sendSms` ended: the decision that whatever stores, reports or resends a send is
 * based on.
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
const decodeResponse = SchemaParser.decodeUnknownResult(NeededSendSmsResponse)

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
 * @example
 * ```ts
 * import { endOfSend, layerConfig, MessagingTopup } from "@messaging-topup/core"
 * import * as NodeTransport from "@messaging-topup/core/node"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function* () {
 *   const { sendSms } = yield* MessagingTopup
 *   const exit = yield* Effect.exit(sendSms({ recipient: "+15550100123", message: "Hello" }))
 *   const { outcome, results } = endOfSend(exit, true)
 *   yield* Console.log(outcome, results.length) // sent 1
 * })
 *
 * await program.pipe(
 *   Effect.provide(Layer.provide(layerConfig, NodeTransport.layer)),
 *   Effect.runPromise
 * )
 * ```
 */
export const endOfSend = (exit: Exit.Exit<unknown, unknown>, hasStarted: boolean): SendEnd => {
  if (Exit.isFailure(exit)) return endOfCause(exit.cause, hasStarted)
  const response = decodeResponse(exit.value)
  return Result.isSuccess(response)
    ? { outcome: "sent", results: response.success.data }
    : { outcome: "unknown", results: [] }
}

/** An error without an operation comes from what a script without types passed to `sendSms`. */
const isOfSend = (error: unknown): error is OwnError =>
  isOwnError(error) && (!Predicate.hasProperty(error, "operation") || isSendSmsError(error))

/**
 * Returns whether an SMS went out, for an error of `sendSms` or for the `Cause` or the `Exit` of
 * one send.
 *
 * An interruption, an outer time-out, a defect and an error that is not of `sendSms` are
 * `"unknown"`, because the request may have started. The response of `sendSms` in an `Exit` is
 * `"sent"`. Any other value is `"unknown"`, also a copy of an error, as `structuredClone` makes it.
 *
 * @example
 * ```ts
 * import { InvalidInput, sendOutcome, UndocumentedStatus } from "@messaging-topup/core"
 *
 * const operation = "sendSms"
 * console.log(sendOutcome(new InvalidInput({ field: "message", problem: "…", operation }))) // not-sent
 * console.log(sendOutcome(new UndocumentedStatus({ status: 502, body: "", operation }))) // unknown
 * console.log(sendOutcome(new Error("an error of the program"))) // unknown
 * ```
 */
export const sendOutcome = (failure: unknown): SendOutcome => {
  if (Exit.isExit(failure)) return endOfSend(failure, true).outcome
  if (Cause.isCause(failure)) return endOfCause(failure, true).outcome
  return isOfSend(failure) ? ofError(failure) : "unknown"
}
