/**
 * What the end of a send means: for the memory, and for whoever called.
 */
import { sendOutcome, type SendResult, type SendSmsError } from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { cancelled, type Refusal } from "../Refusal.ts"
import type { FailedOutcome } from "../RefusalCodes.ts"
import {
  failedCopy,
  failedResend,
  failedSend,
  hasVisibleId,
  withoutMessageId,
  unknownCopy
} from "../ServiceFailure.ts"
import type { SendKind, SentOutcome } from "./Claim.ts"
import type { Outcome } from "./Outcome.ts"

/** A send that the service accepted, now or before. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  /** How many of the numbers the response says nothing of. */
  readonly missing?: number
  /** Set if an earlier call sent it, so that this one sent nothing. */
  readonly duplicate?: {
    readonly sentAtMillis: number
    readonly windowEndsAtMillis: number
    /** Whether the same call sends again then, without a person who is asked. */
    readonly isFreeThen: boolean
  }
}

/** Every result has an id by which the service knows its message. */
const haveVisibleIds = (results: ReadonlyArray<SendResult>): boolean =>
  results.length > 0 && results.every(hasVisibleId)

type SendExit = Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, SendSmsError>

/** How the call to the service ended, and what it was. */
export interface Ended {
  readonly exit: SendExit
  readonly hasLeft: boolean
  readonly messages: number
  readonly kind: SendKind
  readonly canBeAsked: boolean
  readonly atMillis: number
  /** A first copy that went out. */
  readonly first: SentOutcome | undefined
}

/** How the call to the service ended. An interruption after its request left leaves it unknown. */
export const outcomeOf = ({ atMillis, canBeAsked, exit, first, hasLeft }: Ended): Outcome => {
  const unknown: Outcome = { _tag: "Unknown", ...(first === undefined ? {} : { first }) }
  if (Exit.isSuccess(exit)) {
    const { data } = exit.value
    return haveVisibleIds(data)
      ? { _tag: "Sent", results: data, readable: true, atMillis }
      : unknown
  }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return hasLeft ? unknown : { _tag: "NotSent", refusal: cancelled }
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

/** The end of a send in words: a refusal, unless the SMS was sent. */
export const explained = (ended: Ended): Effect.Effect<Sent, Refusal> =>
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
