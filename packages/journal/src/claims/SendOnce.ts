/** `sendOnce`: one send for each key, built on claims. */
import {
  endOfSend,
  InvalidInput,
  MessagingTopup,
  type SendEnd,
  type SendSmsError,
  type SendSmsRequest
} from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SentMessage, Claim, ClaimRequest, Obstacle, SendSettlement } from "./Claim.ts"
import { OutcomeUnknown } from "../errors/OutcomeUnknown.ts"
import { RowConflict } from "../errors/RowConflict.ts"
import { SendRejected } from "../errors/SendRejected.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { makeClaims } from "./Claims.ts"
import type { Digest } from "./Digest.ts"
import { wrongValue } from "../slices/WrongValue.ts"
import { fields } from "../slices/RowColumns.ts"

/**
 * The errors of `sendOnce`. A `SendSmsError` comes from this call's own request: `sendOutcome` of core
 * says whether it went out. After every other error, this call sent nothing.
 */
export type SendOnceError =
  | JournalError
  | OutcomeUnknown
  | RowConflict
  | SendRejected
  | SendSmsError

/** The result of `sendOnce`: the SMS of the key was sent, by this call or an earlier one. */
export interface SentOnce {
  /** Empty if the service's response could not be read, or if a person decided that it was sent. */
  readonly messages: ReadonlyArray<SentMessage>
  /** Whether an earlier call sent it. If so, this call sent nothing. */
  readonly isEarlier: boolean
}

/** Longer than a send takes with the time-outs of usual clients. A later settlement still counts. */
const staleAfter = Duration.minutes(2)

const settlementOf = ({ outcome, results }: SendEnd<unknown, unknown>): SendSettlement =>
  outcome === "sent" ? { outcome, messages: results } : { outcome }

/**
 * Leaves the phone number out: the journal does not store it, so the result of an earlier send has none.
 */
const sent = (messages: ReadonlyArray<SentMessage>, isEarlier: boolean): SentOnce => ({
  messages: messages.map(({ message_id, status }) => ({ message_id, status })),
  isEarlier
})

const refused = (
  obstacle: Obstacle
): Effect.Effect<SentOnce, OutcomeUnknown | RowConflict | SendRejected> => {
  switch (obstacle._tag) {
    case "Sent":
      return Effect.succeed(sent(obstacle.messages, true))
    case "Conflict":
      return Effect.fail(new RowConflict({ field: obstacle.field }))
    case "Unknown":
      return Effect.fail(new OutcomeUnknown({ since: obstacle.since }))
    case "Rejected":
      return Effect.fail(new SendRejected())
    // These claims have no limits and no approval, and `sendOnce` waits until no other call is in flight.
    case "InFlight":
    case "LimitReached":
    case "ApprovalUsed":
      return Effect.die(new Error(`Unexpected obstacle for a single send: ${obstacle._tag}`))
  }
}

export const makeSendOnce = (
  claims: ReturnType<typeof makeClaims>,
  digest: Digest,
  scope: Scope.Scope
) => {
  const claimOf = (key: string, request: SendSmsRequest): ClaimRequest => ({
    key,
    principal: "",
    fields: Object.fromEntries(
      fields.flatMap((field) => {
        const value = request[field]
        return value === undefined ? [] : [[field, digest(["once", key, field, value])]]
      })
    ),
    limits: [],
    staleAfter,
    holdSent: Duration.infinity,
    holdUnknown: Duration.infinity,
    over: "nothing"
  })

  /**
   * If the journal is unavailable, the outcome is kept in memory and written when the journal is back.
   */
  const settle = (claim: Claim, settlement: SendSettlement): Effect.Effect<void> => {
    const settling = claims.settle(claim, settlement)
    return Effect.catch(settling, () =>
      Effect.asVoid(
        Effect.forkIn(Effect.ignore(Effect.retry(settling, Schedule.spaced("1 second"))), scope)
      )
    )
  }

  const send = Effect.fnUntraced(function* (
    restore: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
    claim: Claim,
    request: SendSmsRequest
  ): Effect.fn.Return<SentOnce, OutcomeUnknown | SendSmsError, MessagingTopup> {
    const service = yield* MessagingTopup
    const end = yield* endOfSend(service.sendSms(request), restore)
    yield* settle(claim, settlementOf(end))
    if (end.outcome === "sent") return sent(end.results, false)
    return yield* Exit.isFailure(end.exit)
      ? Effect.failCause(end.exit.cause)
      : // A service of the program, not of core, can return what is no response.
        Effect.fail(new OutcomeUnknown({ since: yield* Clock.currentTimeMillis }))
  })

  /**
   * Waits until no other call makes the same send. Returns the obstacle that is left; undefined if none
   * is.
   */
  const obstacleTo = (
    claim: ClaimRequest,
    obstacle: Obstacle
  ): Effect.Effect<Obstacle | undefined, JournalError> =>
    obstacle._tag === "InFlight"
      ? claims.look(claim).pipe(
          Effect.repeat({
            while: ({ _tag }) => _tag === "InFlight",
            schedule: Schedule.spaced("100 millis")
          }),
          Effect.map((found) => (found._tag === "Available" ? undefined : found))
        )
      : Effect.succeed(obstacle)

  return Effect.fn("sendOnce")(function* (
    key: string,
    request: SendSmsRequest
  ): Effect.fn.Return<SentOnce, SendOnceError, MessagingTopup> {
    const wrong = wrongValue({ key, request })
    if (wrong !== undefined) {
      return yield* Effect.fail(new InvalidInput({ operation: "sendOnce", ...wrong }))
    }
    const claim = claimOf(key, request)
    // After a send that did not go out the key is free, and a waiting caller claims it.
    while (true) {
      const result = yield* Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(
          claims.claim(claim),
          (
            claimed
          ): Effect.Effect<Obstacle | SentOnce, OutcomeUnknown | SendSmsError, MessagingTopup> =>
            claimed._tag === "Claimed"
              ? send(restore, claimed.claim, request)
              : Effect.succeed(claimed)
        )
      )
      if (!("_tag" in result)) return result
      const obstacle = yield* obstacleTo(claim, result)
      if (obstacle !== undefined) return yield* refused(obstacle)
    }
  })
}
