/**
 * Sends one SMS: claims its key, makes the request, and settles the claim. And waits for the same SMS of
 * another call.
 */
import { endOfSend, MessagingTopup, MayStart, type SendEnd } from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import {
  type Approval,
  type Claimed,
  type ClaimRequest,
  endingOf,
  type Limit,
  type NotClaimed,
  type Refused,
  type SendEnding,
  type Standing
} from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import { approvalInvalid, usedBefore } from "./Approval.ts"
import * as Log from "../Log.ts"
import type { Caller } from "./Caller.ts"
import { InFlight } from "./InFlight.ts"
import type { PlannedSms } from "./Plan.ts"
import { notSent, nothingSent, Refusal, toolFailed } from "./Refusal.ts"
import { limitReached } from "./Rules.ts"
import { failedSend } from "./ServiceFailure.ts"
import {
  type ApprovedBy,
  endOf,
  endWith,
  type KnownSms,
  sentBefore,
  type SmsEnd
} from "./Standing.ts"
import { Journal } from "./Journal.ts"

/**
 * Its call was cancelled, its batch stopped before, the process was suspended until its claim was too old, or
 * another call tried to send the same SMS at the same time, which did not go out.
 */
export const notStarted = new Refusal({
  code: "not_started",
  ...notSent("this call did not start its request, or not in time"),
  next: "The same call again sends it."
})

const askAgainLater =
  "Make the same call in a minute, without again: it says how it ended, and sends nothing twice."

/** A host gives up on a call after a minute, and its model would know nothing. The send goes on. */
export const stillInFlight = new Refusal({
  code: "in_flight",
  outcome: "unknown",
  what: "It is unknown whether the SMS was sent: its request is in flight.",
  next: askAgainLater
})

/** A process that was killed does not say how its send ended. */
export const inFlightElsewhere = new Refusal({
  code: "in_flight_elsewhere",
  outcome: "unknown",
  ...nothingSent(
    "another call is sending the same SMS, or was stopped while it did. It is unknown whether that one went out"
  ),
  next: askAgainLater
})

/** The same SMS of another call, which this call waits for. */
interface Awaited {
  readonly sms: PlannedSms
  /** When the call must respond, in milliseconds since 1970. */
  readonly respondBy: number
}

/** What a call does with one SMS. */
interface Order extends Awaited {
  readonly caller: Caller
  readonly approvedBy: ApprovedBy
  /** What the claim redeems. */
  readonly approval: Approval | undefined
  readonly limits: ReadonlyArray<Limit>
  /** The attempt that a person approved. Absent if nobody was asked. */
  readonly again: ClaimRequest["again"]
}

/** How far a call is with its SMS. */
interface Progress {
  isMine: boolean
  isStarted: boolean
}

/** An SMS whose call was cancelled before its request started. */
interface Cancelled {
  readonly ended: Effect.Effect<unknown>
  readonly progress: Progress
}

/** Ends with `late` when the call must respond. */
const within = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { respondBy }: Awaited,
  late: () => Effect.Effect<A, E>
) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.timeoutOrElse(effect, {
      duration: Duration.millis(Math.max(0, respondBy - now)),
      orElse: late
    })
  )

/** What the caller is told if the SMS did not go out, or may not have. */
const refusalOf = (
  { approvedBy }: Order,
  { claim: { id }, standing }: Claimed,
  { error, outcome }: Omit<SendEnd<unknown, unknown>, "exit">,
  ending: SendEnding
): Refusal | undefined => {
  if (outcome === "sent") return undefined
  if (error === undefined) return outcome === "unknown" ? toolFailed(false) : notStarted
  return failedSend(error, outcome, {
    approvedBy,
    id,
    standing,
    // What the journal keeps nothing of is not the fault of this SMS.
    concernsAll: ending.outcome === "nothing"
  })
}

export const make = Effect.gen(function* () {
  const { track } = yield* InFlight
  const { use } = yield* Journal

  const cancelled = new Map<string, Cancelled>()

  const look = Effect.fnUntraced(function* (planned: ReadonlyArray<PlannedSms>) {
    const keys = planned.map(({ key }) => ({ key, request: key }))
    const standings = yield* use(({ server }) => server.look(keys))
    return Array.zipWith(planned, standings, (sms, standing): KnownSms => ({ sms, standing }))
  })

  /** The journal knows how every send ended: one of a process that was killed becomes unknown. */
  const endOfOther = Effect.fnUntraced(function* ({ sms }: Awaited, { send: other }: Standing) {
    const send =
      other &&
      (yield* Effect.repeat(
        use(({ server }) => server.read(other.id)),
        {
          while: (known) => known?.state === "in-flight",
          schedule: Schedule.spaced("200 millis")
        }
      ))
    // It may no longer count.
    if (send?.state === "sent") return sentBefore(sms, send)
    const [known] = yield* look([sms])
    if (known === undefined) return yield* notStarted
    const end = endOf(sms, known.standing)
    if (end._tag === "Open") return yield* notStarted
    return yield* end._tag === "Elsewhere" ? inFlightElsewhere : endWith(end)
  })

  /** Waits for the same SMS of another call, whose key stands so. */
  const wait = (order: Awaited, standing: Standing): Effect.Effect<SmsEnd, Refusal> =>
    within(endOfOther(order, standing), order, () => Effect.fail(inFlightElsewhere))

  const claim = ({ again, approval, caller, limits, sms }: Order, timeoutMillis: number) =>
    use(({ server }) =>
      server.claim({
        send: { key: sms.key, request: sms.key },
        request: sms.request,
        caller: caller.id,
        segments: sms.segments,
        batch: sms.batch,
        again,
        limits,
        approval,
        timeoutMillis
      })
    )

  const notClaimed = (
    order: Order,
    result: NotClaimed<Refused>
  ): Effect.Effect<SmsEnd, Refusal> => {
    if (result._tag === "Refused") {
      const { refusal } = result
      return Effect.fail(
        refusal._tag === "LimitReached"
          ? limitReached(refusal.usage, 1)
          : usedBefore(refusal.wasApproved)
      )
    }
    const end = endOf(order.sms, result.standing)
    // Another attempt was made since the person was asked, and left nothing in the way.
    if (end._tag === "Open" && order.again !== undefined) return Effect.fail(approvalInvalid)
    return end._tag === "Open" || end._tag === "Elsewhere"
      ? wait(order, result.standing)
      : endWith(end)
  }

  /** Uninterruptible, so that every claim is settled with an outcome. */
  const claimAndSend = (order: Order, progress: Progress) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { approvedBy, sms } = order
        const service = yield* MessagingTopup
        const result = yield* claim(order, attemptMillis(service))
        if (result._tag !== "Claimed") return yield* restore(notClaimed(order, result))
        const { claim: right, mayStart: isInTime } = result
        progress.isMine = true
        yield* Log.sending
        const sending = Effect.tapDefect(service.sendSms(sms.request), Log.sendFailed)
        const sendEnd = yield* Effect.provideService(endOfSend(sending, restore), MayStart, () => {
          const mayStart = isInTime()
          progress.isStarted ||= mayStart
          return mayStart
        })
        const ending = endingOf(sendEnd)
        const refusal = refusalOf(order, result, sendEnd, ending)
        yield* Effect.ignore(use((journal) => journal.settle(right, ending)))
        yield* Log.sendEnded(sendEnd, refusal?.details)
        const end: SmsEnd = refusal ?? { _tag: "Sent", results: sendEnd.results, approvedBy }
        return end
      })
    )

  /**
   * Sends an SMS. A cancelled call ends at once: what has started goes on, what has not never starts. The end
   * of this call's own request never fails: it has another entry in the log.
   */
  const send = (order: Order): Effect.Effect<SmsEnd, Refusal, MessagingTopup> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const progress: Progress = { isMine: false, isStarted: false }
        const late = () =>
          progress.isMine ? Effect.succeed(stillInFlight) : Effect.fail(inFlightElsewhere)
        const sending = yield* track(claimAndSend(order, progress)).pipe(
          Effect.interruptible,
          Effect.forkDetach({ startImmediately: true })
        )
        return yield* restore(within(Fiber.join(sending), order, late)).pipe(
          Effect.onInterrupt(() => {
            if (progress.isStarted) return Effect.void
            const { key } = order.sms
            cancelled.set(key, { ended: Fiber.await(sending), progress })
            return Effect.ensuring(
              Fiber.interrupt(sending),
              Effect.sync(() => cancelled.delete(key))
            )
          })
        )
      })
    )

  /** Waits for a call that was cancelled, and returns whether it left the SMS to others. */
  const isReleased = ({ key }: PlannedSms): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      const other = cancelled.get(key)
      return other === undefined
        ? Effect.succeed(false)
        : Effect.map(other.ended, () => !other.progress.isStarted)
    })

  return { isReleased, look, send, wait }
})
