/**
 * The end of a send: the outcome that is stored, and the result that the caller receives.
 */
import { sendOutcome, type SendResult, type SendSmsError } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { cancelled, type FailedOutcome, type Refusal } from "./Refusal.ts"
import {
  failedCopy,
  failedResend,
  failedSend,
  hasVisibleId,
  withoutMessageId,
  unknownCopy
} from "./ServiceFailure.ts"
import type { SendKind, SentOutcome } from "./Claim.ts"
import type { Outcome } from "./Outcome.ts"

/** A send that the service accepted, in this call or an earlier one. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  /** How many numbers of the recipient are missing in the response. */
  readonly missing?: number
  /** Set if an earlier call sent the SMS, so that this call sent nothing. */
  readonly duplicate?: {
    readonly sentAtMillis: number
    readonly windowEndsAtMillis: number
    /** Whether the same call sends again after the window, without an approval. */
    readonly sendsAfterWindow: boolean
  }
}

const haveVisibleIds = (results: ReadonlyArray<SendResult>): boolean =>
  results.length > 0 && results.every(hasVisibleId)

type SendExit = Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, SendSmsError>

/** The end of a request to the service. */
export interface Ended {
  readonly exit: SendExit
  readonly hasStarted: boolean
  readonly messages: number
  readonly kind: SendKind
  readonly canBeAsked: boolean
  readonly atMillis: number
  /** The first copy, which went out, if this send is a second copy of it. */
  readonly first: SentOutcome | undefined
}

/** Returns the outcome to store. It is unknown if the request started and was then interrupted. */
export const outcomeOf = ({ atMillis, canBeAsked, exit, first, hasStarted }: Ended): Outcome => {
  const unknown: Outcome = { _tag: "Unknown", ...(first === undefined ? {} : { first }) }
  if (Exit.isSuccess(exit)) {
    const { data } = exit.value
    return haveVisibleIds(data)
      ? { _tag: "Sent", results: data, readable: true, atMillis }
      : unknown
  }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return hasStarted ? unknown : { _tag: "NotSent", refusal: cancelled }
  switch (sendOutcome(error.value)) {
    case "not-sent":
      return { _tag: "NotSent", refusal: failedSend(error.value, "not-sent", canBeAsked) }
    case "unknown":
      return unknown
    case "sent":
      return { _tag: "Sent", results: [], readable: false, atMillis }
  }
}

const failureOf = (
  error: SendSmsError,
  outcome: FailedOutcome,
  { canBeAsked, first, kind }: Ended
): Refusal => {
  if (first !== undefined) {
    return outcome === "not-sent" ? failedCopy(error, first) : unknownCopy(error, first, canBeAsked)
  }
  return kind === "resend" && outcome === "not-sent"
    ? failedResend(error, canBeAsked)
    : failedSend(error, outcome, canBeAsked)
}

/** Returns the result for the caller. Fails with a refusal unless the SMS was sent. */
export const resultOf = (ended: Ended): Effect.Effect<Sent, Refusal> =>
  Effect.matchEffect(ended.exit, {
    onSuccess: ({ data }) =>
      haveVisibleIds(data)
        ? Effect.succeed({
            results: data,
            readable: true,
            missing: Math.max(0, ended.messages - data.length)
          })
        : Effect.fail(withoutMessageId(data, ended.canBeAsked)),
    onFailure: (error) => {
      const outcome = sendOutcome(error)
      return outcome === "sent"
        ? Effect.succeed({ results: [], readable: false })
        : Effect.fail(failureOf(error, outcome, ended))
    }
  })
