/**
 * How a send ended: what is stored and logged of it, what its caller is told, and what calls of the same
 * SMS are told. Core decides whether it went out.
 */
import type { SendEnd, SendResult, SendSmsError, SendSmsResponse } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import { cancelled, type Refusal, toolFailed } from "./Refusal.ts"
import { failedSend, type FailedSend } from "./ServiceFailure.ts"
import type { ApprovedBy, SentCopy } from "./PlannedSend.ts"

/** A sent copy and an unknown outcome are stored. A send that did not go out leaves nothing behind. */
export type EndedSend =
  | SentCopy
  | {
      readonly outcome: "unknown"
      /** The first copy, if this was a second one. It certainly went out. */
      readonly first?: SentCopy
    }
  | { readonly outcome: "not-sent"; readonly refusal: Refusal }

/** What a caller is told of an SMS that went out, in this call or an earlier one. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Set if this call sent the SMS. */
  readonly approvedBy?: ApprovedBy
  /** Set if an earlier call sent the SMS, so that this call sent nothing. */
  readonly duplicate?: {
    readonly sentAtMillis: number
    readonly windowEndsAtMillis: number
    /** Whether the same call sends again after the window, without an approval. */
    readonly sendsAfterWindow: boolean
  }
}

interface EndOfRequest extends FailedSend {
  readonly approvedBy: ApprovedBy
  readonly end: SendEnd<SendSmsResponse, SendSmsError>
  readonly atMillis: number
}

/** Calls that wait for this send did not ask for a second one. */
const firstSend = { kind: "first", first: undefined } as const

/** Returns what to store, and what to tell the caller: the result, or the refusal. */
export const endOf = (
  request: EndOfRequest
): { readonly ended: EndedSend; readonly told: Effect.Effect<Sent, Refusal> } => {
  const { approvedBy, ...anyone } = request
  const { atMillis, end, first } = anyone
  const { error, exit, outcome, results } = end
  switch (outcome) {
    case "sent":
      return {
        ended: { outcome, results, atMillis },
        told: Effect.succeed({ results, approvedBy })
      }
    case "unknown":
      return {
        ended: { outcome, ...(first === undefined ? {} : { first }) },
        told:
          error === undefined
            ? // An interruption or a defect passes.
              Effect.andThen(Effect.orDie(exit), Effect.fail(toolFailed(false)))
            : Effect.fail(failedSend(error, outcome, request))
      }
    case "not-sent":
      return error === undefined
        ? { ended: { outcome, refusal: cancelled }, told: Effect.fail(cancelled) }
        : {
            ended: { outcome, refusal: failedSend(error, outcome, { ...anyone, ...firstSend }) },
            told: Effect.fail(failedSend(error, outcome, request))
          }
  }
}
