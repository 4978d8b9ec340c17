/**
 * One send, in one way for programs, for lists and for the server: after its claim, which begins here, its request is
 * made, unless it is too late. Whoever claims settles.
 */
import {
  endOfSend,
  MayStart,
  MessagingTopup,
  type SendEnd,
  type SendSmsError,
  type SendSmsRequest,
  type SendSmsResponse
} from "@messaging-topup/core"
import { requestMillis } from "@messaging-topup/core/internal"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import { randomUUID } from "node:crypto"
import type { Claim, StoredEnd } from "../model/Send.ts"
import type { Rule } from "../Rule.ts"
import { beginClaim } from "../Write.ts"
import { Shutdown } from "./Shutdown.ts"
import { storedEndOf } from "./StoredEnd.ts"

/**
 * Settles a claim. While the journal is not available, it goes on trying in the background, until the
 * journal is closed and five seconds longer. Returns whether it was written within two seconds.
 */
export type Settle = (claim: Claim, stored: StoredEnd) => Effect.Effect<boolean>

/** Runs an effect that no call waits for. When the journal is closed, it has five seconds. */
export type InBackground = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<Fiber.Fiber<A, E>>

/** What a claim has before it is written. None begins once the journal is closed, or an older copy, or at another address. */
export const newClaim = Effect.fnUntraced(function* ({ mayBegin, newestId }: Rule) {
  yield* mayBegin
  if (Deferred.isDoneUnsafe(yield* Shutdown)) return yield* Effect.interrupt
  const timeoutMillis = requestMillis(yield* MessagingTopup)
  const options = { ticket: randomUUID(), newestId: newestId(), timeoutMillis }
  return { mayStart: yield* beginClaim, options }
})

/** Gives a claim back, and refuses it, if it is in an older copy: what this process knows of the journal is not there. */
export const requireNewest = (rule: Rule, settle: Settle, claim: Claim) =>
  Effect.tapError(rule.requireNewest, () => settle(claim, { state: "nothing" }))

const notStarted: SendEnd<SendSmsResponse, SendSmsError> = {
  outcome: "not-sent",
  results: [],
  exit: Exit.interrupt()
}

/** Makes a call interruptible where nothing else is. */
export type Restore = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes the request of a claim, unless it is too late. `isLate`: it did not start, because the process may have
 * been frozen since the claim.
 */
export const perform = Effect.fnUntraced(function* (
  request: SendSmsRequest,
  mayStart: () => boolean,
  restore: Restore = identity
) {
  const { sendSms } = yield* MessagingTopup
  const mayStartOutside = yield* MayStart
  let isLate = !mayStart()
  const isInTime = () => {
    isLate = !mayStart()
    return !isLate
  }
  // A service of the program perhaps never asks `MayStart`, so it was asked here, too.
  const end = isLate
    ? notStarted
    : yield* Effect.provideService(
        endOfSend(sendSms(request), restore),
        MayStart,
        () => isInTime() && mayStartOutside()
      )
  return { end, stored: storedEndOf(end), isLate }
})

/** Interrupted, a send that has started ends first, so that its outcome is known, and any other one never starts. */
export const orEnd = Effect.fnUntraced(function* <A, E, R>(
  send: Effect.Effect<A, E, R>,
  restore: Restore
) {
  const mayStart = yield* MayStart
  let hasStarted = false
  const sending = yield* Effect.forkChild(
    Effect.provideService(send, MayStart, () => (hasStarted = mayStart())),
    { startImmediately: true, uninterruptible: true }
  )
  return yield* restore(Fiber.join(sending)).pipe(
    Effect.onInterrupt(() => (hasStarted ? Fiber.await(sending) : Fiber.interrupt(sending)))
  )
})

export type Performed = Effect.Success<ReturnType<typeof perform>>
