/**
 * Sends one SMS: claims its key, makes the request, and settles the claim. And waits for the same SMS of
 * another call.
 */
import { endOfSend, MessagingTopup, OnRequestStart, type SendEnd } from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import {
  type Approval,
  type ClaimResult,
  endingOf,
  type KnownSend,
  type Limit,
  type Standing
} from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { type ApprovedBy, usedBefore } from "./Approval.ts"
import { tooManyUnasked } from "./ApprovalRefusals.ts"
import * as Audit from "./Audit.ts"
import { type Caller, report } from "./Caller.ts"
import { InFlight } from "./InFlight.ts"
import type { PlannedSms } from "./Plan.ts"
import type { Refusal } from "./Refusal.ts"
import {
  cancelled,
  inFlightElsewhere,
  limitReached,
  notSentElsewhere,
  stillInFlight,
  toolFailed,
  tooLate
} from "./Refusals.ts"
import { failedSend } from "./ServiceFailure.ts"
import { asEarlier, endOfStanding, failed, firstOf, type SmsEnd } from "./SmsEnd.ts"
import { State } from "./State.ts"

/** The same SMS of another call, which this call waits for. */
interface Awaited {
  readonly caller: Caller
  readonly sms: PlannedSms
  /** When the call must respond, in milliseconds since 1970. */
  readonly respondBy: number
}

/** What a call does with one SMS. */
export interface Order extends Awaited {
  readonly approvedBy: ApprovedBy
  /** What the claim redeems. */
  readonly approval: Approval | undefined
  readonly limits: ReadonlyArray<Limit>
  /** What a person approved: to send over one of unknown outcome, or over one that was sent. */
  readonly over: "nothing" | "unknown" | "sent"
  /** Whether it is a row of a batch, which says itself how far it is. */
  readonly inBatch: boolean
}

/** What this process knows of a send, and the journal does not know yet. */
interface OwnSend {
  readonly id: number
  readonly at: number
  readonly ended: Deferred.Deferred<SmsEnd>
  end?: SmsEnd
}

/** How far a call is with its SMS. */
interface Progress {
  isMine: boolean
  isStarted: boolean
}

export class Dispatch extends Context.Service<
  Dispatch,
  {
    /** Returns how each key stands. */
    readonly look: (
      sends: ReadonlyArray<PlannedSms>
    ) => Effect.Effect<ReadonlyArray<Standing>, Refusal>
    /** Sends an SMS. A cancelled call ends at once: what has started goes on, what has not never starts. */
    readonly send: (order: Order) => Effect.Effect<SmsEnd, Refusal, MessagingTopup>
    /** Waits for the same SMS of another call. */
    readonly wait: (order: Awaited) => Effect.Effect<SmsEnd, Refusal>
  }
>()("@messaging-topup/mcp-server/send/Dispatch") {
  static readonly layer = (
    duplicateWindow: Duration.Duration
  ): Layer.Layer<Dispatch, never, InFlight | State> => Layer.effect(Dispatch, make(duplicateWindow))
}

/** How long an SMS of unknown outcome is held back. And one of a batch, whose call can be repeated. */
const unknownCountsFor = Duration.hours(24)

/** How long a call waits for a send of another process: one that was killed does not record the outcome. */
const elsewhereTimeout = "5 seconds"

const aboutToSend = {
  progress: 1,
  total: 2,
  message: "Sending. Cancelling does not stop it from here on."
}

const stateOf = ({ state }: KnownSend): Standing["state"] => (state === "freed" ? "free" : state)

/** Only the end of this call's own request is no refusal: it has another entry in the log. */
const told = (end: SmsEnd): Effect.Effect<SmsEnd, Refusal> =>
  end._tag === "Failed" ? Effect.fail(end.refusal) : Effect.succeed(end)

/** Fails with `late` when the call must respond. */
const within = <A, E, R>(effect: Effect.Effect<A, E, R>, order: Awaited, late: () => Refusal) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.timeoutOrElse(effect, {
      duration: Duration.millis(Math.max(0, order.respondBy - now)),
      orElse: () => Effect.fail(late())
    })
  )

/** What the caller is told if the SMS did not go out, or may not have. */
const refusalOf = (
  { approvedBy, caller, sms }: Order,
  standing: Standing,
  { error, outcome }: Omit<SendEnd<unknown, unknown>, "exit">,
  isTooLate: boolean
): Refusal | undefined => {
  if (outcome === "sent") return undefined
  if (isTooLate) return tooLate
  if (error === undefined) return outcome === "unknown" ? toolFailed(false) : cancelled
  return failedSend(error, outcome, {
    isResend: standing.state === "unknown" || standing.isUnresolved,
    approvedBy,
    first: firstOf(sms.request.recipient, standing),
    canBeAsked: caller.asking !== undefined
  })
}

const make = Effect.fnUntraced(function* (duplicateWindow: Duration.Duration) {
  const { track } = yield* InFlight
  const { use } = yield* State
  const own = new Map<string, OwnSend>()

  const look = (sends: ReadonlyArray<PlannedSms>) =>
    Effect.map(
      use(({ server }) => server.look(sends.map(({ key }) => ({ key, request: key })))),
      (standings) => standings.map((standing, at) => asKnownHere(sends[at]?.key ?? "", standing))
    )

  /** While its request runs, a send is in flight, whatever the journal says after a clock jumped. */
  const asKnownHere = (key: string, standing: Standing): Standing => {
    const known = own.get(key)
    if (known === undefined) return standing
    const isBehind =
      standing.send?.id === known.id &&
      (standing.state === "in-flight" || standing.state === "unknown")
    if (known.end === undefined || isBehind) return { ...standing, state: "in-flight" }
    // It was written, or a person decided.
    own.delete(key)
    return standing
  }

  /** Until another process has ended its send. */
  const endElsewhere = (id: number) =>
    use(({ server }) => server.read(id)).pipe(
      Effect.repeat({
        while: (known) => known?.state === "in-flight",
        schedule: Schedule.spaced("200 millis")
      }),
      Effect.timeoutOrElse({
        duration: elsewhereTimeout,
        orElse: () => Effect.fail(inFlightElsewhere)
      })
    )

  /** Waits until another call has ended its send, and returns how, if it went out or may have. */
  const endOfOther = Effect.fnUntraced(function* ({ caller, sms }: Awaited) {
    const known = own.get(sms.key)
    if (known !== undefined) {
      const end = yield* Deferred.await(known.ended)
      return asEarlier(end, known.at, caller.asking !== undefined)
    }
    const [before] = yield* look([sms])
    if (before?.state !== "in-flight" || before.send === undefined) return undefined
    const send = yield* endElsewhere(before.send.id)
    if (send === undefined) return undefined
    const then: Standing = { ...before, isUnresolved: false, state: stateOf(send), send }
    return endOfStanding(sms.request.recipient, then, caller.asking !== undefined)
  })

  const awaitOther = Effect.fnUntraced(function* (order: Awaited) {
    const { caller, sms } = order
    const end = yield* endOfOther(order)
    // What the journal says now has more of it, and knows of other sends. But it may be behind, or the send
    // no longer counts.
    const [standing] = yield* look([sms])
    const now =
      standing && endOfStanding(sms.request.recipient, standing, caller.asking !== undefined)
    if (now !== undefined) return yield* told(now)
    if (end !== undefined) return yield* told(end)
    return yield* standing?.state === "in-flight" ? inFlightElsewhere : notSentElsewhere
  })

  const wait = (order: Awaited) => within(awaitOther(order), order, () => inFlightElsewhere)

  const claim = (
    { approval, caller, inBatch, limits, over, sms }: Order,
    timeoutMillis: number
  ) => {
    const sentCountsFor = inBatch
      ? Duration.max(duplicateWindow, unknownCountsFor)
      : duplicateWindow
    return use(({ server }) =>
      server.claim({
        key: sms.key,
        request: sms.key,
        caller: caller.principal,
        segments: sms.segments,
        recipient: sms.recipient,
        sentCountsFor,
        unknownCountsFor,
        again: over !== "nothing",
        limits,
        ...(approval === undefined ? {} : { approval }),
        timeoutMillis
      })
    )
  }

  const notClaimed = (
    order: Order,
    result: Exclude<ClaimResult, { readonly _tag: "Claimed" }>
  ): Effect.Effect<SmsEnd, Refusal> => {
    switch (result._tag) {
      case "Blocked": {
        const { caller, sms } = order
        const end = endOfStanding(
          sms.request.recipient,
          result.standing,
          caller.asking !== undefined
        )
        return end === undefined ? wait(order) : told(end)
      }
      case "LimitReached":
        return Effect.fail(
          result.usage.limit.counts === "recipients"
            ? tooManyUnasked(result.usage.limit.max)
            : limitReached(result.usage, 1)
        )
      case "ApprovalUsed":
        return Effect.fail(usedBefore(result.wasApproved))
    }
  }

  /** Uninterruptible, so that every claim is settled with an outcome. */
  const claimAndSend = (order: Order, progress: Progress) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { approvedBy, caller, inBatch, sms } = order
        const { key, request } = sms
        const logged = { principal: caller.principal, key }
        const service = yield* MessagingTopup
        const running = own.get(key)
        if (running !== undefined && running.end === undefined) return yield* restore(wait(order))
        const result = yield* claim(order, attemptMillis(service))
        if (result._tag !== "Claimed") return yield* restore(notClaimed(order, result))
        const { claim: right, standing } = result
        if (order.over === "unknown" && standing.state === "sent") {
          // A late response came since the person approved to send over what was unknown.
          yield* use((journal) => journal.settle(right, { outcome: "nothing" }))
          return yield* restore(wait(order))
        }
        const mine: OwnSend = {
          id: right.id,
          at: yield* Clock.currentTimeMillis,
          ended: Deferred.makeUnsafe()
        }
        own.set(key, mine)
        progress.isMine = true
        yield* Audit.sending(logged)
        if (!inBatch) yield* report(caller, aboutToSend)
        let isTooLate = false
        const sending = Effect.tapDefect(service.sendSms(request), Audit.failed(logged))
        const sendEnd = yield* Effect.provideService(
          endOfSend(sending, restore),
          OnRequestStart,
          () => {
            isTooLate = !right.mayStart()
            progress.isStarted ||= !isTooLate
            return !isTooLate
          }
        )
        const refusal = refusalOf(order, standing, sendEnd, isTooLate)
        const end: SmsEnd =
          refusal === undefined
            ? { _tag: "Sent", results: sendEnd.results, approvedBy }
            : failed(refusal)
        mine.end = end
        const isWritten = yield* use((journal) => journal.settle(right, endingOf(sendEnd))).pipe(
          Effect.orElseSucceed(() => false)
        )
        yield* Audit.ended(logged, sendEnd, refusal)
        if (isWritten && own.get(key) === mine) own.delete(key)
        yield* Deferred.succeed(mine.ended, end)
        return end
      })
    )

  const send = (order: Order) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const progress: Progress = { isMine: false, isStarted: false }
        const late = () => (progress.isMine ? stillInFlight : inFlightElsewhere)
        const sending = yield* track(claimAndSend(order, progress)).pipe(
          Effect.interruptible,
          Effect.forkDetach({ startImmediately: true })
        )
        return yield* restore(within(Fiber.join(sending), order, late)).pipe(
          Effect.onInterrupt(() => (progress.isStarted ? Effect.void : Fiber.interrupt(sending))),
          // What claims nothing leaves no other entry in the log.
          Effect.tapError((refusal) =>
            refusal === stillInFlight
              ? Effect.void
              : Audit.refused({ principal: order.caller.principal, key: order.sms.key }, refusal)
          )
        )
      })
    )

  return Dispatch.of({ look, send, wait })
})
