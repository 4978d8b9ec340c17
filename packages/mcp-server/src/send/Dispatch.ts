/**
 * Sends one SMS: the journal claims it, makes its request and settles it, while the call waits so long as a host does.
 * And waits for the same SMS of another call.
 */
import { MayStart, type MessagingTopup } from "@messaging-topup/core"
import type { Approval, SentNow, ToSend } from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"
import { usedBefore } from "./Approval.ts"
import * as Log from "../Log.ts"
import type { Caller } from "./Caller.ts"
import type { KnownSms, PlannedSms } from "./Plan.ts"
import { notSent, nothingSent, Refusal, toolFailed } from "./Refusal.ts"
import { limitReached } from "./Rules.ts"
import { failedSend, ReadFrom, type Sources } from "./ServiceFailure.ts"
import type { ApprovedBy, SmsEnd } from "./Standing.ts"
import { Journal } from "./Journal.ts"

export const stopping = new Refusal({
  code: "stopping",
  ...notSent("this server is stopping"),
  next: "Call again when it runs again.",
  concernsAll: true
})

/** How long a shutdown waits for sends. It is longer than one request takes by default. */
const shutdownGrace = Duration.seconds(40)

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
    /** Refuses new sends, waits for those in flight, and then until the results are written. */
    readonly shutdown: Effect.Effect<void>
  }
>()("@messaging-topup/mcp-server/send/Dispatch/InFlight") {
  static readonly layer: Layer.Layer<InFlight> = Layer.sync(InFlight, () => {
    let isStopping = false
    const admitted = Effect.suspend(() => (isStopping ? Effect.fail(stopping) : Effect.void))
    const inFlight = Semaphore.makeUnsafe(all)
    // Free as soon as no send is in flight.
    const idle = inFlight.withPermits(all)(Effect.void)
    return {
      track: (send) => Effect.andThen(admitted, inFlight.withPermit(send)),
      shutdown: Effect.suspend(() => {
        isStopping = true
        return idle.pipe(Effect.timeoutOption(shutdownGrace), Effect.andThen(endOfTurn))
      })
    }
  })
}

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
  readonly maxPerHour: number
  /** The attempt that a person approved. Absent if nobody was asked. */
  readonly again: ToSend["again"]
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
  { claim: { id }, end: { error, outcome }, standing, stored }: SentNow,
  sources: Sources
): Refusal | undefined => {
  if (outcome === "sent") return undefined
  if (error === undefined) return outcome === "unknown" ? toolFailed(false) : notStarted
  return failedSend(error, outcome, {
    approvedBy,
    id,
    sources,
    standing,
    // What the journal keeps nothing of is not the fault of this SMS.
    concernsAll: stored.outcome === "nothing"
  })
}

export const make = Effect.gen(function* () {
  const { track } = yield* InFlight
  const { use } = yield* Journal

  const look = Effect.fnUntraced(function* (planned: ReadonlyArray<PlannedSms>) {
    const keys = planned.map(({ key }) => ({ key, request: key }))
    const standings = yield* use(({ server }) => server.look(keys))
    return Array.zipWith(planned, standings, (sms, standing): KnownSms => ({ sms, standing }))
  })

  const lookOne = (sms: PlannedSms) =>
    Effect.flatMap(look([sms]), ([known]) =>
      known === undefined ? Effect.fail(notStarted) : Effect.succeed(known)
    )

  /** Waits for the same SMS of another call. The journal knows how each ends: of a process that was killed as unknown. */
  const wait = (awaited: Awaited): Effect.Effect<KnownSms, Refusal> =>
    within(
      Effect.repeat(lookOne(awaited.sms), {
        while: ({ standing }) => standing.state === "in-flight",
        schedule: Schedule.spaced("200 millis")
      }),
      awaited,
      () => Effect.fail(inFlightElsewhere)
    )

  /** Uninterruptible but for the request, so that every end is told. Undefined: the key is in the way. */
  const claimAndSend = (order: Order, onClaim: Effect.Effect<void>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { again, approval, approvedBy, caller, maxPerHour, sms } = order
        const { batch, key, request, segments } = sms
        const toSend = {
          send: { key, request: key },
          request,
          facts: { caller: caller.id, batch, segments },
          again,
          maxPerHour,
          approval
        }
        const sent = yield* use(({ server }) => server.send(toSend, () => onClaim, restore))
        if (sent._tag === "InTheWay") return undefined
        if (sent._tag === "Refused") {
          const { refusal } = sent
          return yield* refusal._tag === "LimitReached"
            ? limitReached(refusal, 1)
            : usedBefore(refusal.wasApproved)
        }
        const refusal = refusalOf(order, sent, yield* ReadFrom)
        yield* Effect.exit(Effect.tapDefect(Effect.asVoid(sent.end.exit), Log.sendFailed))
        yield* Log.sendEnded(sent.end, { approved_by: approvedBy, ...refusal?.details })
        const end: SmsEnd = refusal ?? { _tag: "Sent", results: sent.end.results, approvedBy }
        return end
      })
    )

  /**
   * Sends an SMS; undefined if its key is in the way. A cancelled call ends at once: what has started goes on, what
   * has not never starts. The end of this call's own request never fails: it has another entry in the log.
   */
  const send = (order: Order): Effect.Effect<SmsEnd | undefined, Refusal, MessagingTopup> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        let isMine = false
        let hasStarted = false
        const claimed = Effect.sync(() => {
          isMine = true
        })
        const sending = yield* track(
          claimAndSend(order, Effect.andThen(claimed, Log.sending))
        ).pipe(
          Effect.provideService(MayStart, () => (hasStarted = true)),
          Effect.interruptible,
          Effect.forkDetach({ startImmediately: true })
        )
        const late = () => (isMine ? Effect.succeed(stillInFlight) : Effect.fail(inFlightElsewhere))
        return yield* restore(within(Fiber.join(sending), order, late)).pipe(
          Effect.onInterrupt(() => (hasStarted ? Effect.void : Fiber.interrupt(sending)))
        )
      })
    )

  return { look, send, wait }
})
