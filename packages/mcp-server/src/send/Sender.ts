/**
 * The way of a call that sends one SMS, or up to a hundred, from its arguments to what became of each.
 *
 * All SMS are checked before anything is sent: each alone, then against earlier sends, then together
 * against the limits. A person is asked once. Then each is claimed and sent on its own. The claim checks
 * earlier sends and limits again, because a person may take minutes to decide. The journal knows every SMS, so
 * after a crash or a time-out the same call goes on: it sends only what never started.
 */
import type { MessagingTopup, SendSmsRequest } from "@messaging-topup/core"
import { Phone } from "@messaging-topup/core/internal"
import * as Array from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import * as Admission from "./Admission.ts"
import * as Approval from "./Approval.ts"
import * as Log from "../Log.ts"
import type { Caller } from "./Caller.ts"
import * as Dispatch from "./Dispatch.ts"
import { Journal } from "./Journal.ts"
import * as Plan from "./Plan.ts"
import type { Refusal } from "./Refusal.ts"
import type { Rules } from "./Rules.ts"
import * as Standing from "./Standing.ts"

/** An SMS of a call, and how it ended. */
export interface EndedSms
  extends Plan.PlannedSms, Pick<Standing.KnownSms, "standing">, Standing.Deciders, Standing.Ended {}

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
  static readonly layer = (rules: Rules): Layer.Layer<Sender, never, Dispatch.InFlight | Journal> =>
    Layer.effect(Sender, make(rules))
}

/** How many requests of a call are in flight at once. */
const inFlightAtOnce = 4

/** With so many in one call, the service probably responds to nothing, and all others would be unknown too. */
const maxUnknown = 4

/** How long before its response is due a call starts no further SMS. */
const toRespond = Duration.seconds(5)

const recipientOf = ({ request }: Plan.PlannedSms): string => Phone.wideForm(request.recipient)

/** A refusal is an end of an SMS, too. */
const logged = <R>({ key }: Plan.PlannedSms, ending: Effect.Effect<Standing.Ended, Refusal, R>) =>
  ending.pipe(
    Effect.tapError(Log.sendRefused),
    Effect.catch((end): Effect.Effect<Standing.Ended> => Effect.succeed({ end })),
    Log.about({ digest: key })
  )

const make = Effect.fnUntraced(function* (rules: Rules) {
  const journal = yield* Journal
  const { canDecide } = journal
  const plan = Plan.make(
    rules,
    journal,
    (refusal, standings) => Standing.about(refusal, canDecide, ...standings),
    Admission.doubtful(journal)
  )
  const admit = Admission.make(rules, journal)
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
    planned: ReadonlyArray<Plan.PlannedSms>,
    again: boolean
  ): Effect.fn.Return<ReadonlyArray<EndedSms>, Approval.Pending | Refusal, MessagingTopup> {
    const reply = yield* Approval.replyOf(journal, calling, planned)
    // A client that approved by itself asks nobody.
    const deciders = { canAsk: reply.caller.person !== undefined, canDecide }
    const keys = planned.map(({ key }) => ({ key, digest: key }))
    const standings = yield* journal.use(({ server }) => server.look(keys))
    const known = Array.zipWith(planned, standings, (sms, standing) =>
      Standing.known(sms, standing, again, deciders)
    )
    const { all, approvedBy } = yield* admit(reply, known, again)
    const byRecipient = Map.groupBy(known.filter(Standing.isOpen), recipientOf)
    const othersOf = (sms: Standing.KnownSms) =>
      (byRecipient.get(recipientOf(sms)) ?? []).filter(({ key }) => key !== sms.key)
    const sendNow = yield* senderOf(reply, { approvedBy, ...deciders }, othersOf)
    return yield* Effect.forEach(
      all,
      (sms) =>
        Effect.map(
          sms.end === undefined
            ? sendNow(sms)
            : logged(
                sms,
                Effect.map(Dispatch.told(sms.end), (end) => ({ end }))
              ),
          (ended): EndedSms => ({ ...sms, ...deciders, ...ended })
        ),
      { concurrency: "unbounded" }
    )
  })

  /**
   * Returns what sends an SMS of one call: four at once. None starts when the response is due in 5 seconds, after four
   * unknown ones, or after a refusal that concerns all.
   */
  const senderOf = Effect.fnUntraced(function* (
    reply: Approval.Reply,
    consent: Standing.Consent,
    othersOf: (sms: Standing.KnownSms) => ReadonlyArray<Standing.KnownSms>
  ) {
    const approval = reply._tag === "Approved" ? reply : undefined
    const respondBy = (yield* Clock.currentTimeMillis) + Duration.toMillis(Dispatch.longestCall)
    const lastStart = respondBy - Duration.toMillis(toRespond)
    const inFlight = Semaphore.makeUnsafe(inFlightAtOnce)
    let unknown = 0
    let stopped: Refusal | undefined
    const sendOne = Effect.fnUntraced(function* (
      sms: Standing.KnownSms
    ): Effect.fn.Return<Standing.Ended, never, MessagingTopup> {
      const { batch, key, request, segments, standing } = sms
      const isEnding = (yield* Clock.currentTimeMillis) > lastStart
      const left = stopped ?? (isEnding ? Dispatch.notStarted : undefined)
      if (left !== undefined) return { end: Standing.about(left, canDecide, standing) }
      const toSend = {
        send: { key, digest: key },
        request,
        facts: { caller: reply.caller.id, batch, segments },
        others: othersOf(sms).map(Standing.askedOf),
        asShown: approval && { ...standing, newestTold: approval.newestTold },
        maxPerHour: rules.maxSendsPerHour,
        approval: batch === undefined ? approval?.redeemable : undefined
      }
      const ended = yield* logged(sms, dispatch(toSend, consent, respondBy))
      const { end } = ended
      if (end._tag === "Sent") return ended
      if (end.code === "send_unknown") unknown += 1
      // Further ones would fail, too.
      if (end.concernsAll === true) stopped ??= Dispatch.stoppedAt(end)
      else if (unknown >= maxUnknown) stopped ??= Dispatch.stoppedByUnknown
      return { ...ended, end: Standing.about(end, canDecide, standing) }
    })
    return (sms: Standing.KnownSms) => inFlight.withPermit(sendOne(sms))
  })

  return Sender.of({
    rules,
    send: (caller, ...call) => Log.about({ caller: caller.id })(send(caller, ...call))
  })
})
