/**
 * All checks between a call of `send_sms` and the service.
 *
 * The guards run in this order: the SMS itself, duplicates, limits, a person's approval. The first
 * needs no digest of the text, which costs more. The right to send is then claimed in one atomic step
 * that checks duplicates and limits again, because a person may take minutes to decide. Where nobody is
 * asked, only this step checks them. An approval sent with the call is redeemed before duplicates are
 * checked.
 */
import {
  endOfSend,
  MessagingTopup,
  OnRequestStart,
  type SendSmsRequest,
  SmsText
} from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { type Caller, report } from "./Caller.ts"
import { afterTries, factsOf, type Refusal, stillInFlight, stopping, tooLate } from "./Refusal.ts"
import * as Audit from "./Audit.ts"
import * as BlockedSend from "./BlockedSend.ts"
import type { PlannedSend, SendKind } from "./PlannedSend.ts"
import type { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import * as Glimpses from "./Glimpses.ts"
import { InFlight, longestCall } from "./InFlight.ts"
import type { Pending } from "./Pending.ts"
import * as RequestChecks from "./RequestChecks.ts"
import { isAsked, type RulesOf } from "./Rules.ts"
import { type EndedSend, endOf, type Sent } from "./SendEnd.ts"
import { type LookResult, SendMemory } from "./SendMemory.ts"
import * as SmsApproval from "./SmsApproval.ts"

interface SendGuardOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
  /** Whether `list_recent_sends` shows neither digits nor texts. */
  readonly hideRecentTexts: boolean
  /** The address of the service. The same SMS to another service is another send. */
  readonly service: string
}

/** What the caller asks for if an earlier call sent the same SMS. */
interface Again {
  /** Resend an SMS whose first send has an unknown outcome. */
  readonly resendUnknown: boolean
  /** Send a second copy of an SMS that went out. */
  readonly sendAgain: boolean
}

export class SendGuard extends Context.Service<
  SendGuard,
  {
    readonly send: (
      caller: Caller,
      request: SendSmsRequest,
      again: Again
    ) => Effect.Effect<Sent | Pending, Refusal, MessagingTopup>
    readonly rulesOf: RulesOf
    /** Returns what is known of the recipient and the text of a recent send, by its key. */
    readonly glimpseOf: (key: string) => Effect.Effect<Glimpses.Glimpse | undefined>
    /** Plans the send of an SMS of a batch. */
    readonly plan: (caller: Caller, request: SendSmsRequest) => Effect.Effect<PlannedSend, Refusal>
    /** Checks the recipient and the segments, and returns the request to send. */
    readonly check: (
      caller: Caller,
      request: SendSmsRequest
    ) => Effect.Effect<SendSmsRequest, Refusal>
    /** Claims the right to send and sends, without the other guards. */
    readonly dispatch: (
      caller: Caller,
      request: SendSmsRequest,
      planned: PlannedSend
    ) => Effect.Effect<Sent, Refusal, MessagingTopup>
  }
>()("@messaging-topup/mcp-server/send/SendGuard") {
  static readonly layer = (
    options: SendGuardOptions
  ): Layer.Layer<SendGuard, never, Confirmation | InFlight | SendMemory> =>
    Layer.effect(SendGuard, make(options))
}

const aboutToSend = {
  progress: 1,
  total: 2,
  message: "Sending. Cancelling does not stop it from here on."
}

const done = (result: Sent | Pending) => ({ _tag: "Done", result }) as const

const admitted = (planned: PlannedSend) => ({ _tag: "Admitted", planned }) as const

const kindOf = (before: LookResult, { resendUnknown, sendAgain }: Again): SendKind => {
  const isUnknown = before._tag === "Duplicate" && before.ended.outcome === "unknown"
  if (isUnknown) return resendUnknown ? "resend" : "first"
  if (!sendAgain) return "first"
  return before._tag === "Duplicate" ? "copy" : "again"
}

const make = Effect.fnUntraced(function* ({
  duplicateWindow,
  hideRecentTexts,
  rulesOf,
  service: address
}: SendGuardOptions) {
  const approval = yield* SmsApproval.make(rulesOf)
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const glimpses = Glimpses.make(duplicateWindow, hideRecentTexts)
  const blocked = BlockedSend.make(duplicateWindow, rulesOf)

  const check = (caller: Caller, request: SendSmsRequest) =>
    RequestChecks.check(rulesOf(caller), request)

  const plan = Effect.fnUntraced(function* (caller: Caller, request: SendSmsRequest) {
    const parts = Digest.partsOfMessage(address, caller.principal, request)
    const planned: PlannedSend = {
      key: yield* memory.digest(parts),
      principal: caller.principal,
      recipient: request.recipient,
      segments: SmsText.preview(request.message).segments,
      limits: rulesOf(caller).limits,
      kind: "first",
      approvedBy: "none"
    }
    return planned
  })

  /**
   * Returns the result for the call, or how it waits for that of another call. Uninterruptible, so that
   * every claim is settled with an outcome.
   */
  const claimAndSend = (
    caller: Caller,
    request: SendSmsRequest,
    planned: PlannedSend,
    started: { value: boolean }
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const result = yield* memory.claim(planned).pipe(Audit.refusals(planned))
        if (result._tag !== "Claimed") return blocked(caller, result).pipe(Audit.refusals(planned))
        const { claim, first } = result
        const settle = (ended: EndedSend) =>
          Effect.andThen(memory.settle(planned, claim, ended), Audit.sendEnded(planned, ended))
        yield* Audit.sending(planned)
        yield* glimpses.keep(planned.key, planned.principal, request)
        if (planned.inBatch !== true) yield* report(caller, aboutToSend)
        if ((yield* Clock.currentTimeMillis) >= claim.staleAt) {
          yield* settle({ outcome: "not-sent", refusal: tooLate })
          return yield* tooLate
        }
        const sending = service.sendSms(request).pipe(Effect.tapDefect(Audit.failed(planned)))
        const end = yield* endOfSend(sending, restore).pipe(
          Effect.provideService(OnRequestStart, () => {
            started.value = true
            return true
          })
        )
        const { ended, told } = endOf({
          end,
          kind: planned.kind,
          approvedBy: planned.approvedBy,
          canBeAsked: caller.asking !== undefined,
          atMillis: yield* Clock.currentTimeMillis,
          first
        })
        yield* settle(ended)
        return told
      })
    )

  /**
   * A cancelled call ends at once. If its request has not started, it never starts. Otherwise the send
   * goes on without the call, and its outcome is stored. It also goes on without a call that would last
   * too long.
   */
  const dispatch = (caller: Caller, request: SendSmsRequest, planned: PlannedSend) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const started = { value: false }
        const sending = yield* inFlight
          .track(claimAndSend(caller, request, planned, started))
          .pipe(Effect.interruptible, Effect.forkDetach({ startImmediately: true }))
        const awaited = Effect.timeoutOrElse(Fiber.join(sending), {
          duration: longestCall,
          orElse: () => Effect.fail(stillInFlight)
        })
        return yield* restore(Effect.flatten(awaited)).pipe(
          Effect.onInterrupt(() => (started.value ? Effect.void : Fiber.interrupt(sending))),
          // `track` refuses with `stopping` before anything is logged.
          Effect.tapError((refusal) =>
            refusal === stopping ? Audit.refused(planned, refusal) : Effect.void
          )
        )
      })
    )

  /** Runs the guards. Returns a result, a question for the person, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    calling: Caller,
    request: SendSmsRequest,
    again: Again,
    planned: PlannedSend
  ) {
    const { approved, caller } = yield* approval.decided(calling, request)
    // Without a look at duplicates: the claim redeems the approval first, so it can be used only once.
    if (approved !== undefined) {
      const { approval: given, subject } = approved
      return admitted({ ...planned, kind: subject, approval: given, approvedBy: "person" })
    }
    const { resendUnknown, sendAgain } = again
    // Where nobody is asked, the claim checks all that a look would.
    const asks = isAsked(rulesOf(caller), caller.asking !== undefined)
    if (!resendUnknown && !sendAgain && !asks) return admitted(planned)
    const before = yield* memory.look(planned)
    const kind = kindOf(before, again)
    const result = kind === "first" ? before : yield* memory.look({ ...planned, kind })
    if (result._tag !== "Available") return done(yield* blocked(caller, result))
    const answer = yield* approval.ask(caller, request, kind, result.unresolved)
    return Predicate.isString(answer)
      ? admitted({ ...planned, kind, approvedBy: answer })
      : done(answer)
  })

  /** Adds to the refusal of an unknown SMS how many sends of it are unknown. */
  const withTries =
    (caller: Caller, planned: PlannedSend) =>
    (refusal: Refusal): Effect.Effect<never, Refusal> =>
      factsOf(refusal, false).outcome === "unknown"
        ? memory.unresolved(planned).pipe(
            Effect.orElseSucceed(() => 0),
            Effect.flatMap((tries) =>
              Effect.fail(
                tries > 1 ? afterTries(refusal, tries, caller.asking !== undefined) : refusal
              )
            )
          )
        : Effect.fail(refusal)

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    given: SendSmsRequest,
    again: Again
  ): Effect.fn.Return<Sent | Pending, Refusal, MessagingTopup> {
    const request = yield* check(caller, given).pipe(Audit.refusals(caller))
    const planned = yield* plan(caller, request).pipe(Audit.refusals(caller))
    const explained = Effect.catch(withTries(caller, planned))
    const admission = yield* admit(caller, request, again, planned).pipe(
      Audit.refusals(planned),
      explained
    )
    if (admission._tag === "Done") return admission.result
    return yield* dispatch(caller, request, admission.planned).pipe(explained)
  })

  return SendGuard.of({
    send,
    rulesOf,
    glimpseOf: glimpses.of,
    plan: (caller, request) =>
      Effect.map(plan(caller, request), (planned) => ({ ...planned, inBatch: true })),
    check,
    dispatch
  })
})
