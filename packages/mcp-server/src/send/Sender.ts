/**
 * Every step between a call that sends one SMS, or up to a hundred, and the service.
 *
 * All SMS are checked before anything is sent: each alone, then against earlier sends, then together
 * against the limits. A person is asked once. Then each is claimed and sent on its own. The claim checks
 * earlier sends and limits again, because a person may take minutes to decide. The journal knows every SMS, so
 * after a crash or a time-out the same call goes on: it sends only what never started.
 */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import type { Limit, Usage } from "@messaging-topup/journal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import {
  againUnavailable,
  approvalMismatch,
  batchUnavailable,
  confirmationRequired,
  tooManyUnasked
} from "./ApprovalRefusals.ts"
import * as Approval from "./Approval.ts"
import * as Audit from "./Audit.ts"
import { type Caller, report } from "./Caller.ts"
import { Dispatch, type Order } from "./Dispatch.ts"
import { longestCall } from "./InFlight.ts"
import * as Kind from "./Kind.ts"
import * as Plan from "./Plan.ts"
import type { PlannedSms } from "./Plan.ts"
import * as Question from "./Question.ts"
import type { Refusal } from "./Refusal.ts"
import { limitReached, notStarted } from "./Refusals.ts"
import { limitsOf, longestOf, type Rules, unaskedLimit } from "./Rules.ts"
import { concernsOne } from "./ServiceFailure.ts"
import { failed, type SmsEnd } from "./SmsEnd.ts"
import { State } from "./State.ts"

/** An SMS of a call, and how it ended. */
export interface EndedSms {
  readonly sms: PlannedSms
  readonly end: SmsEnd
}

interface SenderOptions {
  readonly rules: Rules
  /** The address of the service. The same SMS to another service is another send. */
  readonly service: string
}

export class Sender extends Context.Service<
  Sender,
  {
    readonly rules: Rules
    /**
     * Sends SMS. `again`: also those of unknown outcome and, of a call with one SMS, what was sent before.
     * Fails if nothing is known of any of them but that this call did not send it.
     */
    readonly send: (
      caller: Caller,
      requests: ReadonlyArray<SendSmsRequest>,
      again: boolean
    ) => Effect.Effect<Approval.Pending | ReadonlyArray<EndedSms>, Refusal, MessagingTopup>
    /** Returns the limits for this caller, each with how much of it is used. */
    readonly usage: (caller: Caller) => Effect.Effect<ReadonlyArray<Usage>, Refusal>
    /** Returns the digest of a number, in whatever spelling, by which its sends are found. */
    readonly recipientDigest: (recipient: string) => Effect.Effect<string, Refusal>
  }
>()("@messaging-topup/mcp-server/send/Sender") {
  static readonly layer = (options: SenderOptions): Layer.Layer<Sender, never, Dispatch | State> =>
    Layer.effect(Sender, make(options))
}

/** How many requests of a call are in flight at once. */
const inFlightAtOnce = 4

/** With so many in one call, the service probably responds to nothing, and all others would be unknown too. */
const maxUnknown = 4

/** How long before its response is due a call starts no further SMS. */
const toRespond = Duration.seconds(5)

const canBeAsked = ({ asking }: Caller): boolean => asking !== undefined

/** What a call may send. */
interface Approved {
  readonly caller: Caller
  readonly open: ReadonlyArray<Kind.KnownSms>
  /** How many SMS the call has. */
  readonly total: number
  readonly kind: Kind.SendKind
  readonly approvedBy: Approval.ApprovedBy
  /** What the claim of the only SMS redeems. */
  readonly approval: Order["approval"]
  /** When the call must respond, in milliseconds since 1970. */
  readonly respondBy: number
  /** How SMS of the call ended, by their numbers. */
  readonly ends: Map<number, SmsEnd>
}

/** Keeps how an SMS ended. A refusal is an end, too. */
const settle = <R>(
  ending: Effect.Effect<SmsEnd, Refusal, R>,
  sms: PlannedSms,
  ends: Map<number, SmsEnd>
): Effect.Effect<SmsEnd, never, R> =>
  ending.pipe(
    Effect.catchTag("Refusal", (refusal) => Effect.succeed(failed(refusal))),
    Effect.tap((end) => Effect.sync(() => ends.set(sms.number, end)))
  )

/** The kind that the approval of the call is for: the journal may know more since the question. */
const approvedKind = (
  { isFor }: Extract<Approval.Decision, { readonly _tag: "Approved" }>,
  all: ReadonlyArray<Kind.KnownSms>
): Kind.SendKind | undefined => Kind.kinds.find((kind) => isFor(Kind.subjectOf(all, kind)))

const make = Effect.fnUntraced(function* ({ rules, service }: SenderOptions) {
  const context = yield* Effect.context<State>()
  const { use } = yield* State
  const dispatch = yield* Dispatch

  const { keyOf, plan, recipientDigest } = Plan.make(rules, service, use)

  const limitsFor = (caller: Caller): ReadonlyArray<Limit> =>
    rules.confirm === "auto" && !canBeAsked(caller)
      ? [...limitsOf(rules), unaskedLimit]
      : limitsOf(rules)

  const checkLimits = Effect.fnUntraced(function* (
    caller: Caller,
    open: ReadonlyArray<Kind.KnownSms>
  ) {
    const amount = {
      caller: caller.principal,
      segments: open.reduce((sum, { sms }) => sum + sms.segments, 0),
      recipients: open.map(({ sms }) => sms.recipient)
    }
    const reached = longestOf(yield* use(({ server }) => server.usage(limitsFor(caller), amount)))
    if (reached === undefined) return
    return yield* reached.limit.counts === "recipients"
      ? tooManyUnasked(reached.limit.max)
      : limitReached(reached, open.length)
  })

  /** Returns who approved, or the question. */
  const permit = Effect.fnUntraced(function* (
    caller: Caller,
    open: ReadonlyArray<Kind.KnownSms>,
    total: number,
    kind: Kind.SendKind
  ): Effect.fn.Return<Approval.ApprovedBy | Approval.Pending, Refusal> {
    const { asking } = caller
    const isFirst = kind === "first"
    if (isFirst && rules.confirm === "off") return "none"
    if (asking === undefined) {
      if (!isFirst) return yield* againUnavailable
      if (total > 1) return yield* batchUnavailable
      return rules.confirm === "require" ? yield* confirmationRequired : "none"
    }
    const asked = open.map(({ sms, standing }) => ({
      request: sms.request,
      segments: sms.segments,
      isUnresolved: standing.isUnresolved
    }))
    return yield* Approval.ask(
      asking,
      Question.write(asked, total, kind),
      Kind.subjectOf(open, kind),
      open.map(({ sms }) => sms.number)
    )
  })

  /** Sends each of the SMS, until further ones would fail too, or the call must respond. */
  const sendAll = Effect.fnUntraced(function* ({
    approval,
    approvedBy,
    caller,
    ends,
    kind,
    open,
    respondBy,
    total
  }: Approved) {
    const lastStart = respondBy - Duration.toMillis(toRespond)
    let unknown = 0
    let isStopped = false
    const sendOne = Effect.fnUntraced(function* ({ sms, standing }: Kind.KnownSms) {
      if (isStopped || (yield* Clock.currentTimeMillis) > lastStart) return
      const order: Order = {
        caller,
        sms,
        approvedBy,
        approval,
        limits: limitsFor(caller),
        over: Kind.overOf(kind, standing),
        inBatch: total > 1,
        respondBy
      }
      const end = yield* settle(dispatch.send(order), sms, ends)
      if (end._tag === "Failed") {
        if (end.refusal.outcome === "unknown") unknown += 1
        isStopped ||= !concernsOne(end.refusal) || unknown >= maxUnknown
      }
      if (total === 1) return
      const message = `${ends.size} of ${total} SMS are done. Cancelling stops what has not started.`
      yield* report(caller, { progress: ends.size, total, message })
    })
    yield* Effect.forEach(open, sendOne, { concurrency: inFlightAtOnce, discard: true })
  })

  const send = Effect.fnUntraced(function* (
    calling: Caller,
    requests: ReadonlyArray<SendSmsRequest>,
    again: boolean
  ): Effect.fn.Return<Approval.Pending | ReadonlyArray<EndedSms>, Refusal, MessagingTopup> {
    const { principal } = calling
    const planned = yield* Effect.tapError(plan(calling, requests), (refusal) =>
      Audit.refused({ principal }, refusal)
    )
    const [only] = planned
    if (only === undefined) return []
    const isOne = planned.length === 1
    const key = isOne ? only.key : yield* keyOf(planned)
    const logged = <A, R>(effect: Effect.Effect<A, Refusal, R>): Effect.Effect<A, Refusal, R> =>
      Effect.tapError(effect, (refusal) => Audit.refused({ principal, key }, refusal))

    const decision = yield* Approval.decisionOf(calling).pipe(
      Effect.provideContext(context),
      logged
    )
    if (decision._tag === "Refused" && isOne) {
      return yield* Effect.fail(decision.refusal).pipe(logged)
    }
    const caller = decision._tag === "None" ? decision.caller : calling

    /** As the journal knows them now. */
    const sort = Effect.gen(function* () {
      const standings = yield* dispatch.look(planned)
      const all = planned.flatMap((sms, at) => {
        const standing = standings[at]
        return standing === undefined ? [] : [{ sms, standing }]
      })
      const wanted = Kind.kindOf(all, again)
      const kind = decision._tag === "Approved" && isOne ? approvedKind(decision, all) : undefined
      return { ...Kind.sort(all, kind ?? wanted, canBeAsked(caller)), all }
    }).pipe(logged)

    /** Guards the open ones together. Returns the question, or who approved them. */
    const admit = Effect.fnUntraced(function* ({ all, kind, open }: Effect.Success<typeof sort>) {
      if (decision._tag === "Refused") return yield* Effect.fail(decision.refusal)
      yield* checkLimits(caller, open)
      if (decision._tag === "None") return yield* permit(caller, open, planned.length, kind)
      // Since the question, another call may have sent some of them.
      const asked = all.filter(({ sms }) => decision.numbers.includes(sms.number))
      const isCovered = open.every((each) => asked.includes(each))
      if (!isCovered || !decision.isFor(Kind.subjectOf(asked, kind))) return yield* approvalMismatch
      // The claim of one SMS redeems it, after it told what another call did with the same approval.
      if (!isOne) yield* decision.redeem
      return "person" as const
    })

    let sorted = yield* sort
    const admitted =
      sorted.open.length === 0
        ? Result.succeed("none" as const)
        : yield* Effect.result(admit(sorted))
    // Another call with the same approval may be sending them.
    if (Result.isFailure(admitted) && admitted.failure.code === "approval_used") {
      sorted = yield* sort
    }
    const { elsewhere, ends, kind, open } = sorted
    const refuse = (sms: PlannedSms) => (refusal: Refusal) =>
      Audit.refused({ principal, key: sms.key }, refusal)
    for (const sms of planned) {
      const end = ends.get(sms.number)
      if (end?._tag === "Failed") yield* refuse(sms)(end.refusal)
    }
    if (Result.isFailure(admitted) && open.length > 0) {
      const { failure } = admitted
      yield* Audit.refused({ principal, key }, failure)
      // A refusal is the end of what was open: what an earlier call sent stays sent.
      if (open.length === planned.length) return yield* failure
      for (const { sms } of open) ends.set(sms.number, failed(failure))
    }
    const approvedBy = Result.getOrElse(admitted, () => "none" as const)
    if (approvedBy instanceof Approval.Pending) return approvedBy

    const respondBy = (yield* Clock.currentTimeMillis) + Duration.toMillis(longestCall)
    const toSend = Result.isSuccess(admitted) ? open : []
    yield* Effect.all(
      [
        sendAll({
          caller,
          open: toSend,
          total: planned.length,
          kind,
          approvedBy,
          approval: isOne && decision._tag === "Approved" ? decision.approval : undefined,
          respondBy,
          ends
        }),
        Effect.forEach(
          elsewhere,
          (sms) =>
            settle(
              Effect.tapError(dispatch.wait({ caller, sms, respondBy }), refuse(sms)),
              sms,
              ends
            ),
          { concurrency: "unbounded", discard: true }
        )
      ],
      { concurrency: 2, discard: true }
    )
    const ended = planned.map((sms) => ({ sms, end: ends.get(sms.number) ?? failed(notStarted) }))
    const end = isOne ? ended[0]?.end : undefined
    return end?._tag === "Failed" ? yield* end.refusal : ended
  })

  return Sender.of({
    rules,
    send,
    recipientDigest,
    usage: (caller) =>
      use(({ server }) =>
        server.usage(limitsOf(rules), { caller: caller.principal, segments: 0, recipients: [] })
      )
  })
})
