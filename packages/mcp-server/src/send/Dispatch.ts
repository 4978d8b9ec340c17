/** Sends one SMS: the journal claims it, makes its request and settles it, while the call waits so long as a host does. */
import { MayStart, type MessagingTopup } from "@messaging-topup/core"
import type { Claimed, SentNow, ToSend } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { approvalInvalid, stopping, usedBefore } from "./Approval.ts"
import * as Log from "../Log.ts"
import { Journal } from "./Journal.ts"
import { nothingSent, Refusal, sendFailedInside } from "./Refusal.ts"
import { limitReached } from "./Rules.ts"
import { failedSend, ReadFrom } from "./ServiceFailure.ts"
import { type Consent, type Ended, type SmsEnd, thenCallAgain, unsentEnd } from "./Standing.ts"

/** How long a shutdown waits for sends. It is longer than one request takes by default. */
export const shutdownGrace = Duration.seconds(40)

/** More sends than can be in flight. */
const all = Number.MAX_SAFE_INTEGER

/** How long a call lasts, unless a person is asked: hosts give up on a call after 60 seconds. */
export const longestCall = Duration.seconds(50)

/** Resumes at the end of this turn of the event loop, when its results are written. */
export const endOfTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Tracks the sends in flight, so that the server does not stop before they end. */
export class InFlight extends Context.Service<
  InFlight,
  {
    readonly track: <A, E, R>(send: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refusal, R>
    /** Completes when the server begins to stop. */
    readonly stops: Effect.Effect<void>
    /** What the server waits for when it stops, and that starts no send. */
    readonly hold: <A, E, R>(ending: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Ends open questions, refuses new sends, waits for those in flight, and then until the results are written. */
    readonly shutdown: Effect.Effect<void>
  }
>()("@messaging-topup/mcp-server/send/Dispatch/InFlight") {
  static readonly layer: Layer.Layer<InFlight> = Layer.sync(InFlight, () => {
    let isStopping = false
    const stops = Latch.makeUnsafe()
    const admitted = Effect.suspend(() => (isStopping ? Effect.fail(stopping) : Effect.void))
    const inFlight = Semaphore.makeUnsafe(all)
    let count = 0
    const counted = <A, E, R>(send: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => count++),
        () => send,
        () => Effect.sync(() => count--)
      )
    // Free as soon as no send is in flight.
    const idle = inFlight.withPermits(all)(Effect.void)
    return {
      stops: stops.await,
      hold: inFlight.withPermit,
      track: (send) => Effect.andThen(admitted, inFlight.withPermit(counted(send))),
      shutdown: Effect.suspend(() => {
        const says = !isStopping && count > 0 ? Log.stopping(count) : Effect.void
        isStopping = true
        return Effect.andThen(says, stops.open).pipe(
          // Calls whose question is open are held by then.
          Effect.andThen(endOfTurn),
          Effect.andThen(idle),
          Effect.timeoutOption(shutdownGrace),
          Effect.andThen(endOfTurn)
        )
      })
    }
  })
}

/** With again, it would send what is unknown, too. */
const sameCall = "The same call, without again, sends what was not sent"

/**
 * Its call was cancelled or lasted too long, the process was suspended until its claim was too old, or another call
 * tried to send the same SMS at the same time, which did not go out.
 */
export const notStarted = new Refusal({
  code: "not_started",
  ...nothingSent("its request was not started, or not in time"),
  next: `${sameCall}.`
})

/** The batch stopped at another row, whose failure would meet all. */
export const stoppedAt = ({ code, details }: Refusal): Refusal => {
  const status = details?.["http_status"]
  const failure = typeof status === "number" ? `HTTP ${status}` : code
  return new Refusal({
    code: "not_started",
    ...nothingSent(`the batch stopped at a failure that would meet all: ${failure}`),
    next: `Do first what the cause with this failure says. ${sameCall}.`
  })
}

/** The batch stopped because the service probably responds to nothing. */
export const stoppedByUnknown = new Refusal({
  code: "not_started",
  ...nothingSent("the batch stopped, because the outcome of too many of its SMS is unknown"),
  next: `Ask the person first. ${sameCall}, and its outcome may be unknown, too.`
})

/** A host gives up on a call after a minute, and its model would know nothing. The send goes on, also if its claim still waits for the journal. */
export const stillInFlight = new Refusal({
  code: "in_flight",
  outcome: "unknown",
  what: "It is unknown whether the SMS was sent: its request is in flight, or about to start.",
  next: `Make the same call in a minute, without again. ${thenCallAgain}`
})

/** Fails with a refusal, which is then in the log. */
export const told = (end: SmsEnd): Effect.Effect<SmsEnd, Refusal> =>
  end._tag === "Refusal" ? Effect.fail(end) : Effect.succeed(end)

/** What the caller is told of a send of this call. */
const endOf = (sent: SentNow, consent: Consent) =>
  Effect.map(ReadFrom, (sources): SmsEnd => {
    const { countsUntil, end, standing: others } = sent
    const { error, outcome, results } = end
    if (outcome === "sent") {
      return { _tag: "Sent", results, approvedBy: consent.approvedBy, others, countsUntil }
    }
    if (error !== undefined) return failedSend(error, outcome, sent, consent, sources)
    return outcome === "unknown" ? sendFailedInside : notStarted
  })

export const make = Effect.gen(function* () {
  const { track } = yield* InFlight
  const { use } = yield* Journal

  /** Uninterruptible but for the request, so that every end is told. */
  const claimAndSend = (toSend: ToSend, consent: Consent, onClaim: (claimed: Claimed) => void) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { approvedBy } = consent
        const sent = yield* use(({ server }) =>
          server.send(
            toSend,
            (claimed) => {
              onClaim(claimed)
              return Log.sending(claimed.claim.id)
            },
            restore
          )
        )
        if (sent._tag === "InTheWay") {
          // Another call was faster.
          const left = approvedBy === "person" ? approvalInvalid : notStarted
          return yield* told(unsentEnd(toSend.request, sent.standing, left, consent))
        }
        if (sent._tag === "Refused") {
          const { refusal } = sent
          return yield* refusal._tag === "LimitReached"
            ? limitReached(refusal, 1)
            : usedBefore(refusal.usedAs)
        }
        const end = yield* endOf(sent, consent)
        yield* Effect.exit(Effect.tapDefect(Effect.asVoid(sent.end.exit), Log.sendFailed))
        const details = end._tag === "Refusal" ? end.details : {}
        const { recipient } = toSend.request
        const { id } = sent.claim
        yield* Log.sendEnded(sent.end, recipient, { approved_by: approvedBy, ...details, id })
        return end
      })
    )

  /**
   * Sends an SMS, until the call must respond, in milliseconds since 1970. A cancelled call ends at once: what has
   * started goes on, what has not never starts. The end of this call's own request never fails: it has another entry in
   * the log.
   */
  return (
    toSend: ToSend,
    consent: Consent,
    respondBy: number
  ): Effect.Effect<Ended, Refusal, MessagingTopup> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        let hasStarted = false
        let earlier: Ended["earlier"]
        const onClaim = (claimed: Claimed) => {
          // A question told an approved one.
          if (toSend.asShown === undefined) ({ earlier } = claimed)
        }
        const sending = yield* track(claimAndSend(toSend, consent, onClaim)).pipe(
          Effect.provideService(MayStart, () => (hasStarted = true)),
          Effect.interruptible,
          Effect.forkDetach({ startImmediately: true })
        )
        const left = Duration.millis(Math.max(0, respondBy - (yield* Clock.currentTimeMillis)))
        const end = yield* Fiber.join(sending).pipe(
          Effect.timeoutOrElse({
            duration: left,
            orElse: () => Effect.succeed(stillInFlight)
          }),
          restore,
          Effect.onInterrupt(() => (hasStarted ? Effect.void : Fiber.interrupt(sending)))
        )
        return { end, earlier }
      })
    )
})
