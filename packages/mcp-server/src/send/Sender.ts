/**
 * The way of a call that sends one SMS, or up to a hundred, from its arguments to what became of each.
 *
 * All SMS are checked before anything is sent: each alone, then against earlier sends, then together
 * against the limits. A person is asked once. Then each is claimed and sent on its own. The claim checks
 * earlier sends and limits again, because a person may take minutes to decide. The journal knows every SMS, so
 * after a crash or a time-out the same call goes on: it sends only what never started.
 */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import type { SameText } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Approval from "./Approval.ts"
import * as Log from "../Log.ts"
import type { Caller } from "./Caller.ts"
import * as Dispatch from "./Dispatch.ts"
import { Journal } from "./Journal.ts"
import * as Plan from "./Plan.ts"
import type { PlannedSms } from "./Plan.ts"
import type { Refusal } from "./Refusal.ts"
import type { Rules } from "./Rules.ts"
import * as Standing from "./Standing.ts"

/** An SMS of a call, and how it ended. */
export interface EndedSms {
  readonly sms: PlannedSms
  readonly end: Standing.SmsEnd
  /** An earlier send of the same text to the same number, of which nobody was told. */
  readonly sameText: SameText | undefined
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
     * Fails if a person must be asked, and if nothing is known of any of them but that this call did not send it.
     */
    readonly send: (
      caller: Caller,
      requests: ReadonlyArray<SendSmsRequest>,
      again: boolean
    ) => Effect.Effect<ReadonlyArray<EndedSms>, Approval.Pending | Refusal, MessagingTopup>
  }
>()("@messaging-topup/mcp-server/send/Sender") {
  static readonly layer = (
    options: SenderOptions
  ): Layer.Layer<Sender, never, Dispatch.InFlight | Journal> => Layer.effect(Sender, make(options))
}

/** How many requests of a call are in flight at once. */
const inFlightAtOnce = 4

/** With so many in one call, the service probably responds to nothing, and all others would be unknown too. */
const maxUnknown = 4

/** Another call can be faster, once. */
const mostClaims = 2

/** How long before its response is due a call starts no further SMS. */
const toRespond = Duration.seconds(5)

/** A refusal is an end of an SMS, too. */
const logged = <A, R>({ key }: PlannedSms, ending: Effect.Effect<A, Refusal, R>) =>
  ending.pipe(
    Effect.tapError(Log.sendRefused),
    Effect.catch((refusal) => Effect.succeed(refusal)),
    Log.about({ digest: key })
  )

const make = Effect.fnUntraced(function* ({ rules, service }: SenderOptions) {
  const { opened, use } = yield* Journal
  const plan = Plan.make(rules, service, opened)
  const admit = Standing.admission(rules, use)
  const dispatch = yield* Dispatch.make

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    requests: ReadonlyArray<SendSmsRequest>,
    again: boolean
  ) {
    const planned = yield* Effect.tapError(plan(caller, requests), Log.sendRefused)
    const [only, ...others] = planned
    const digest = only === undefined || others.length > 0 ? {} : { digest: only.key }
    return yield* sendPlanned(caller, planned, again).pipe(
      Effect.tapErrorTag("Refusal", Log.sendRefused),
      Log.about(digest)
    )
  })

  const sendPlanned = Effect.fnUntraced(function* (
    calling: Caller,
    planned: ReadonlyArray<PlannedSms>,
    again: boolean
  ): Effect.fn.Return<ReadonlyArray<EndedSms>, Approval.Pending | Refusal, MessagingTopup> {
    const decision = yield* Approval.decisionOf(use, calling, planned)
    const { refusal } = decision
    let sorted = yield* sort(planned, again)
    const aboutAll = (end: Refusal) =>
      Standing.about(
        end,
        sorted.map(({ standing }) => standing)
      )
    if (refusal !== undefined && planned.length === 1) return yield* aboutAll(refusal)
    const admission = yield* Effect.catchTag(
      admit(decision, sorted, again),
      "Refusal",
      Effect.succeed
    )
    if (admission._tag === "Refusal") {
      // Another call with the same approval may be sending them.
      if (admission.code === "approval_used") sorted = yield* sort(planned, again)
      if (Standing.openOf(sorted).length === planned.length) return yield* aboutAll(admission)
    }
    const respondBy = (yield* Clock.currentTimeMillis) + Duration.toMillis(Dispatch.longestCall)
    const isOnly = planned.length === 1
    const sendNow = senderOf(decision, isOnly, respondBy)
    /** A call that waited for the same SMS of another call sends it, if that left it free and nobody need be asked. */
    const sendOrWait = Effect.fnUntraced(function* (each: Standing.SortedSms) {
      const { sms } = each
      const admitted =
        admission._tag === "Admitted" && admission.covers(each) ? admission : undefined
      let now = each
      let claims = 0
      while (true) {
        const { end, standing } = now
        if (end._tag === "Elsewhere") {
          if (refusal !== undefined) return yield* Dispatch.inFlightElsewhere
        } else if (end._tag !== "Open") {
          return yield* Standing.endWith(end)
        } else if (claims === mostClaims) {
          return yield* Standing.about(
            decision.approval === undefined ? Dispatch.notStarted : Approval.approvalInvalid,
            [standing]
          )
        } else if (admitted === undefined) {
          const why = admission._tag === "Refusal" ? admission : Dispatch.notStarted
          return yield* Standing.about(why, [standing])
        } else {
          claims += 1
          const sent = yield* sendNow(admitted.approvedBy, now)
          if (sent !== undefined) return sent
        }
        const released = yield* dispatch.wait({ sms, respondBy })
        const asked = decision.approval?.asked(sms.number)
        const { attempt, state } = released.standing
        const isAsAsked = asked?.attempt === attempt && asked.state === state
        now = Standing.sortOne(released, again && isAsAsked, isOnly)
      }
    })
    const endOf = (each: Standing.SortedSms) => logged(each.sms, sendOrWait(each))
    const sameText = admission._tag === "Admitted" ? admission.sameText : undefined
    return yield* Effect.forEach(
      sorted,
      (each) =>
        Effect.map(endOf(each), (end) => ({
          sms: each.sms,
          end,
          sameText: sameText?.get(each.sms.number)
        })),
      { concurrency: "unbounded" }
    )
  })

  /** A person may have taken minutes to decide, and another call may have sent some of them since. */
  const sort = (planned: ReadonlyArray<PlannedSms>, again: boolean) =>
    Effect.map(dispatch.look(planned), (known) => Standing.sort(known, again))

  /** Returns what sends an SMS of one call, some at once, until further ones would end in doubt, fail or be too late. */
  const senderOf = (
    { approval, caller }: Approval.Decision,
    isOnly: boolean,
    respondBy: number
  ) => {
    const lastStart = respondBy - Duration.toMillis(toRespond)
    const inFlight = Semaphore.makeUnsafe(inFlightAtOnce)
    let unknown = 0
    let isStopped = false
    const sendOne = Effect.fnUntraced(function* (
      approvedBy: Standing.ApprovedBy,
      { sms, standing }: Standing.SortedSms
    ) {
      if (isStopped || (yield* Clock.currentTimeMillis) > lastStart)
        return Standing.about(Dispatch.notStarted, [standing])
      const order = {
        caller,
        sms,
        respondBy,
        approvedBy,
        approval: isOnly ? approval?.redeemable : undefined,
        maxPerHour: rules.maxSendsPerHour,
        again: approval?.asked(sms.number)
      }
      const end = yield* logged(sms, dispatch.send(order))
      if (end?._tag !== "Refusal") return end
      if (end.code === "send_unknown") unknown += 1
      // Further ones would fail, too.
      isStopped ||= end.concernsAll === true || unknown >= maxUnknown
      return Standing.about(end, [standing])
    })
    return (approvedBy: Standing.ApprovedBy, sms: Standing.SortedSms) =>
      inFlight.withPermit(sendOne(approvedBy, sms))
  }

  return Sender.of({
    rules,
    send: (caller, ...call) => Log.about({ caller: caller.id })(send(caller, ...call))
  })
})
