/**
 * Every step between a call that sends one SMS, or up to a hundred, and the service.
 *
 * All SMS are checked before anything is sent: each alone, then against earlier sends, then together
 * against the limits. A person is asked once. Then each is claimed and sent on its own. The claim checks
 * earlier sends and limits again, because a person may take minutes to decide. The journal knows every SMS, so
 * after a crash or a time-out the same call goes on: it sends only what never started.
 */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import { longestOf } from "@messaging-topup/journal/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Approval from "./Approval.ts"
import * as Audit from "./Audit.ts"
import * as Dispatch from "./Dispatch.ts"
import { type InFlight, longestCall } from "./InFlight.ts"
import * as Plan from "./Plan.ts"
import type { PlannedSms } from "./Plan.ts"
import * as Question from "./Question.ts"
import type { Refusal } from "./Refusal.ts"
import {
  againUnavailable,
  approvalInvalid,
  confirmationRequired,
  inFlightElsewhere,
  limitReached,
  notStarted,
  recipientsUnlisted
} from "./Refusals.ts"
import { limitsOf, type Rules } from "./Rules.ts"
import * as Standing from "./Standing.ts"
import { Journal } from "./Journal.ts"

/** An SMS of a call, and how it ended. */
export interface EndedSms {
  readonly sms: PlannedSms
  readonly end: Standing.SmsEnd
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
      caller: Approval.Caller,
      requests: ReadonlyArray<SendSmsRequest>,
      again: boolean
    ) => Effect.Effect<Approval.Pending | ReadonlyArray<EndedSms>, Refusal, MessagingTopup>
  }
>()("@messaging-topup/mcp-server/send/Sender") {
  static readonly layer = (
    options: SenderOptions
  ): Layer.Layer<Sender, never, InFlight | Journal> => Layer.effect(Sender, make(options))
}

/** How many requests of a call are in flight at once. */
const inFlightAtOnce = 4

/** With so many in one call, the service probably responds to nothing, and all others would be unknown too. */
const maxUnknown = 4

/** How long before its response is due a call starts no further SMS. */
const toRespond = Duration.seconds(5)

/** A refusal is an end of an SMS, too. */
const logged = <R>({ key }: PlannedSms, ending: Effect.Effect<Standing.SmsEnd, Refusal, R>) =>
  ending.pipe(
    Effect.tapError(Audit.refused),
    Effect.catch((refusal) => Effect.succeed<Standing.SmsEnd>(refusal)),
    Effect.annotateLogs({ digest: key })
  )

const make = Effect.fnUntraced(function* ({ rules, service }: SenderOptions) {
  const { use } = yield* Journal
  const dispatch = yield* Dispatch.make(rules.duplicateWindow)
  const plan = Plan.make(rules, service, use)

  const limits = limitsOf(rules)

  /** A person may have taken minutes to decide, and another call may have sent some of them since. */
  const sort = (planned: ReadonlyArray<PlannedSms>, again: boolean) =>
    Effect.map(dispatch.look(planned), (known) => Standing.sort(known, again))

  /** What a call that was just cancelled holds is free within moments: this call, and its question, have it too. */
  const sortReleased = Effect.fnUntraced(function* (
    planned: ReadonlyArray<PlannedSms>,
    again: boolean
  ) {
    const sorted = yield* sort(planned, again)
    const isReleased = yield* Effect.forEach(sorted, ({ end, sms }) =>
      end === "elsewhere" ? dispatch.isReleased(sms) : Effect.succeed(false)
    )
    if (!isReleased.includes(true)) return sorted
    return Array.zipWith(sorted, yield* sort(planned, again), (before, now) =>
      isReleased[before.sms.number - 1] === true ? now : before
    )
  })

  /**
   * Returns who approved what is open, or the question. A call with `again` is never unasked, even if nothing is
   * known of its SMS.
   */
  const admit = Effect.fnUntraced(function* (
    { approval, caller, refusal }: Approval.Decision,
    sorted: ReadonlyArray<Standing.SortedSms>,
    again: boolean
  ): Effect.fn.Return<Standing.ApprovedBy | Approval.Pending, Refusal> {
    const open = Standing.openOf(sorted)
    const isOnly = sorted.length === 1
    if (open.length === 0) return "none"
    if (refusal !== undefined) return yield* refusal
    const { asking } = caller
    const isUnasked = asking === undefined || (!again && rules.confirm === "off")
    // The claim of an only SMS checks them too: before it, they only spare a person or a part of a batch.
    if (!isOnly || approval !== undefined || !isUnasked) {
      const amount = {
        caller: caller.id,
        messages: open.length,
        segments: open.reduce((sum, { sms }) => sum + sms.segments, 0)
      }
      const reached = longestOf(yield* use(({ server }) => server.usage(limits, amount)))
      if (reached !== undefined) return yield* limitReached(reached, open.length)
    }
    if (approval !== undefined) {
      const isCovered = open.every(({ sms }) => approval.rows.has(sms.number))
      if (!approval.isForCall || !isCovered) return yield* approvalInvalid
      if (isOnly) return "person"
      const before = yield* use(({ server }) => server.redeem(approval.redeemable, true))
      return before === undefined ? "person" : yield* Approval.usedBefore(before === "approved")
    }
    if (!again && rules.confirm === "off") return "none"
    if (asking === undefined) {
      if (again) return yield* againUnavailable
      if (rules.confirm === "require") return yield* confirmationRequired
      return rules.isListed ? "none" : yield* recipientsUnlisted
    }
    return yield* Approval.ask(asking, Question.write(open, sorted.length, again), sorted)
  })

  const sendPlanned = Effect.fnUntraced(function* (
    calling: Approval.Caller,
    planned: ReadonlyArray<PlannedSms>,
    again: boolean
  ): Effect.fn.Return<Approval.Pending | ReadonlyArray<EndedSms>, Refusal, MessagingTopup> {
    const decision = yield* Approval.decisionOf(use, calling, planned)
    const { approval, caller, refusal } = decision
    // A person who declined does not wait.
    let sorted = yield* (refusal === undefined ? sortReleased : sort)(planned, again)
    const known = () => Standing.outcomeOf(sorted.map(({ standing }) => standing))
    if (refusal !== undefined && planned.length === 1) return yield* refusal.about(known())
    const admitted = yield* Effect.catch(admit(decision, sorted, again), Effect.succeed)
    if (admitted instanceof Approval.Pending) return admitted
    const isRefused = typeof admitted === "object"
    if (isRefused) {
      // Another call with the same approval may be sending them.
      if (admitted.code === "approval_used") sorted = yield* sort(planned, again)
      if (Standing.openOf(sorted).length === planned.length) return yield* admitted.about(known())
    }

    const respondBy = (yield* Clock.currentTimeMillis) + Duration.toMillis(longestCall)
    const lastStart = respondBy - Duration.toMillis(toRespond)
    const inFlight = Semaphore.makeUnsafe(inFlightAtOnce)
    let unknown = 0
    let isStopped = false
    const sendOne = Effect.fnUntraced(function* (
      approvedBy: Standing.ApprovedBy,
      { sms, standing }: Standing.SortedSms
    ) {
      const outcome = Standing.outcomeOf([standing])
      if (isStopped || (yield* Clock.currentTimeMillis) > lastStart)
        return notStarted.about(outcome)
      const end = yield* logged(
        sms,
        dispatch.send({
          caller,
          sms,
          respondBy,
          approvedBy,
          approval: planned.length === 1 ? approval?.redeemable : undefined,
          limits,
          again: approval?.rows.get(sms.number)
        })
      )
      if (end._tag === "Refusal") {
        if (end.code === "send_unknown") unknown += 1
        // Further ones would fail, too.
        isStopped ||= end.concernsAll === true || unknown >= maxUnknown
      }
      return end._tag === "Refusal" ? end.about(outcome) : end
    })
    const endOf = (each: Standing.SortedSms) => {
      const { end, sms, standing } = each
      if (end === "elsewhere") {
        if (refusal !== undefined) return logged(sms, Effect.fail(inFlightElsewhere))
        return logged(sms, dispatch.wait({ sms, respondBy }, standing))
      }
      if (end !== "open") return logged(sms, end)
      // What an earlier call sent stays sent: the refusal is the end of what was open.
      if (isRefused) return logged(sms, admitted.about(Standing.outcomeOf([standing])))
      return inFlight.withPermit(sendOne(admitted, each))
    }
    return yield* Effect.forEach(
      sorted,
      (each) => Effect.map(endOf(each), (end) => ({ sms: each.sms, end })),
      { concurrency: "unbounded" }
    )
  })

  return Sender.of({
    rules,
    send: (caller, requests, again) =>
      plan(caller, requests).pipe(
        Effect.tapError(Audit.refused),
        Effect.flatMap((planned) => {
          const [only, ...others] = planned
          const digest = only === undefined || others.length > 0 ? {} : { digest: only.key }
          return sendPlanned(caller, planned, again).pipe(
            Effect.tapError(Audit.refused),
            Effect.annotateLogs(digest)
          )
        }),
        Effect.annotateLogs({ caller: caller.id })
      )
  })
})
