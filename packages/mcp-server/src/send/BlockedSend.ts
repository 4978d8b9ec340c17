/**
 * What a call is told that may not send: how an earlier send of the same SMS ended, or a refusal.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { approvalUsed, declinedBefore } from "./ApprovalRefusals.ts"
import { type Caller, report } from "./Caller.ts"
import { longestCall } from "./InFlight.ts"
import { inFlightElsewhere, limitReached, type Refusal, unknownNotResent } from "./Refusal.ts"
import type { RulesOf } from "./Rules.ts"
import type { EndedSend, Sent } from "./SendEnd.ts"
import type { Blocked } from "./SendMemory.ts"

/** Waits for a send of another call, and tells a client that asked for progress that it does. */
const whileWaiting = (
  caller: Caller,
  ended: Effect.Effect<EndedSend, Refusal>
): Effect.Effect<EndedSend, Refusal> => {
  let seconds = 0
  const tell = Effect.suspend(() =>
    report(caller, {
      progress: seconds++,
      total: Duration.toSeconds(longestCall),
      message: "Waiting: another call is sending the same SMS."
    })
  )
  return Effect.raceFirst(
    Effect.timeoutOrElse(ended, {
      duration: longestCall,
      orElse: () => Effect.fail(inFlightElsewhere)
    }),
    Effect.andThen(Effect.repeat(tell, Schedule.spaced("1 second")), Effect.never)
  )
}

export const make = (duplicateWindow: Duration.Duration, rulesOf: RulesOf) => {
  const windowMillis = Duration.toMillis(duplicateWindow)

  /** Turns the end of an earlier send of the same SMS into the result of this call. */
  const repeated = (caller: Caller, ended: EndedSend): Effect.Effect<Sent, Refusal> => {
    switch (ended.outcome) {
      case "sent":
        return Effect.succeed({
          results: ended.results,
          duplicate: {
            sentAtMillis: ended.atMillis,
            windowEndsAtMillis: ended.untilMillis ?? ended.atMillis + windowMillis,
            sendsAfterWindow: rulesOf(caller).confirm.value !== "require"
          }
        })
      case "unknown":
        return Effect.fail(unknownNotResent(ended.first, caller.asking !== undefined))
      case "not-sent":
        return Effect.fail(ended.refusal)
    }
  }

  /** Turns what blocks a claim into a result: the end of an earlier send, or a refusal. */
  return (caller: Caller, result: Blocked): Effect.Effect<Sent, Refusal> => {
    switch (result._tag) {
      case "LimitReached":
        return Effect.fail(limitReached(result.limit, result.retryAfterSeconds))
      case "ApprovalUsed":
        return Effect.fail(result.approved ? approvalUsed : declinedBefore)
      case "InFlight":
        return Effect.flatMap(whileWaiting(caller, result.ended), (ended) =>
          repeated(caller, ended)
        )
      case "Duplicate":
        return repeated(caller, result.ended)
    }
  }
}
