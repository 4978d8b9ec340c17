/**
 * All checks between a call of `send_sms` and the service.
 *
 * The guards run in this order: recipients, segments, duplicates, limits, a person's approval. The first
 * two need no digest of the text, which costs more. The right to send is then claimed in one atomic step
 * that checks duplicates and limits again, because a person may take minutes to decide. An approval sent
 * with the call is redeemed before duplicates are checked.
 */
import { MessagingTopup, OnRequestStart, type SendSmsRequest, SmsText } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { InputRequiredResult } from "@modelcontextprotocol/server"
import type { Caller } from "./Caller.ts"
import {
  limitReached,
  recipientNotAllowed,
  recipientUnclear,
  type Refusal,
  stopping,
  tooLate,
  tooManyRecipients,
  tooManySegments,
  unknownNotResent
} from "./Refusal.ts"
import { approvalUsed, declinedBefore } from "./ApprovalRefusals.ts"
import * as Audit from "./Audit.ts"
import type { PlannedSend, SendKind } from "./PlannedSend.ts"
import type { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import * as Recipient from "./Recipient.ts"
import type { RulesOf } from "./Rules.ts"
import { type EndedSend, endOf, type Sent } from "./SendEnd.ts"
import { type ClaimResult, type LookResult, SendMemory } from "./SendMemory.ts"
import * as SmsApproval from "./SmsApproval.ts"

interface SendGuardOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
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
    ) => Effect.Effect<Sent | InputRequiredResult, Refusal, MessagingTopup>
  }
>()("@messaging-topup/mcp-server/send/SendGuard") {
  static readonly layer = (
    options: SendGuardOptions
  ): Layer.Layer<SendGuard, never, Confirmation | InFlight | SendMemory> =>
    Layer.effect(SendGuard, make(options))
}

/** Tells a client that asked for progress that the request is about to start. */
const reportSending = ({ context }: Caller): Effect.Effect<void> => {
  const progressToken = context.mcpReq._meta?.progressToken
  if (progressToken === undefined) return Effect.void
  // Not awaited: a client that reads slowly, or is gone, must not delay the send.
  return Effect.tryPromise(() =>
    context.mcpReq.notify({
      method: "notifications/progress",
      params: {
        progressToken,
        progress: 1,
        total: 2,
        message: "Sending. Cancelling does not stop it from here on."
      }
    })
  ).pipe(Effect.ignore, Effect.forkDetach({ startImmediately: true }), Effect.asVoid)
}

const done = (result: Sent | InputRequiredResult) => ({ _tag: "Done", result }) as const

const admitted = (planned: PlannedSend) => ({ _tag: "Admitted", planned }) as const

type Unblocked = Extract<ClaimResult | LookResult, { readonly _tag: "Available" | "Claimed" }>

const kindOf = (before: LookResult, { resendUnknown, sendAgain }: Again): SendKind => {
  const isUnknown = before._tag === "Duplicate" && before.ended.outcome === "unknown"
  if (isUnknown) return resendUnknown ? "resend" : "first"
  if (!sendAgain) return "first"
  return before._tag === "Duplicate" ? "copy" : "again"
}

const make = Effect.fnUntraced(function* ({
  duplicateWindow,
  rulesOf,
  service: address
}: SendGuardOptions) {
  const approval = yield* SmsApproval.make(rulesOf)
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const windowMillis = Duration.toMillis(duplicateWindow)

  /** Turns the end of an earlier send of the same SMS into the result of this call. */
  const repeated = (caller: Caller, ended: EndedSend): Effect.Effect<Sent, Refusal> => {
    switch (ended.outcome) {
      case "sent":
        return Effect.succeed({
          results: ended.results,
          duplicate: {
            sentAtMillis: ended.atMillis,
            windowEndsAtMillis: ended.untilMillis ?? ended.atMillis + windowMillis,
            sendsAfterWindow: rulesOf(caller).confirm.value !== "require"
          }
        })
      case "unknown":
        return Effect.fail(unknownNotResent(ended.first, caller.canBeAsked))
      case "not-sent":
        return Effect.fail(ended.refusal)
    }
  }

  const checkRecipient = (
    caller: Caller,
    request: SendSmsRequest
  ): Effect.Effect<SendSmsRequest, Refusal> => {
    const { option, value: lists } = rulesOf(caller).allowLists
    const numbers = Recipient.numbersIn(request.recipient)
    const recipient =
      lists.length === 0
        ? Recipient.sendable(request.recipient)
        : Recipient.allowed(lists, request.recipient)
    if (recipient === undefined) return Effect.fail(recipientNotAllowed(option))
    const [only, ...others] = numbers
    if (only === undefined || !numbers.every(Recipient.isClear)) {
      return Effect.fail(recipientUnclear)
    }
    return others.length > 0
      ? Effect.fail(tooManyRecipients(numbers.length))
      : Effect.succeed({ ...request, recipient })
  }

  const checkSegments = (caller: Caller, { message }: SendSmsRequest) => {
    const maximum = rulesOf(caller).maximums["max-segments"]
    const { segments } = SmsText.preview(message)
    return segments > maximum.value ? Effect.fail(tooManySegments(segments, maximum)) : Effect.void
  }

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

  /** Turns what blocks a claim into a result: the end of an earlier send, or a refusal. */
  const resolve = (
    caller: Caller,
    result: Exclude<ClaimResult | LookResult, Unblocked>
  ): Effect.Effect<Sent, Refusal> => {
    switch (result._tag) {
      case "LimitReached":
        return Effect.fail(limitReached(result.limit, result.retryAfterSeconds))
      case "ApprovalUsed":
        return Effect.fail(result.approved ? approvalUsed : declinedBefore)
      case "InFlight":
        return Effect.flatMap(result.ended, (ended) => repeated(caller, ended))
      case "Duplicate":
        return repeated(caller, result.ended)
    }
  }

  /** Uninterruptible, so that every claim is settled with an outcome. */
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
        if (result._tag !== "Claimed") {
          return yield* restore(resolve(caller, result)).pipe(Audit.refusals(planned))
        }
        const { claim, first } = result
        const settle = (ended: EndedSend) =>
          Effect.andThen(memory.settle(planned, claim, ended), Audit.sendEnded(planned, ended))
        yield* Audit.sending(planned)
        yield* reportSending(caller)
        if ((yield* Clock.currentTimeMillis) >= claim.staleAt) {
          yield* settle({ outcome: "not-sent", refusal: tooLate })
          return yield* tooLate
        }
        const exit = yield* service.sendSms(request).pipe(
          Effect.provideService(OnRequestStart, () => {
            started.value = true
            return true
          }),
          Effect.tapDefect(Audit.failed(planned)),
          restore,
          Effect.exit
        )
        const { ended, told } = endOf({
          exit,
          hasStarted: started.value,
          kind: planned.kind,
          approvedBy: planned.approvedBy,
          canBeAsked: caller.canBeAsked,
          atMillis: yield* Clock.currentTimeMillis,
          first
        })
        yield* settle(ended)
        return yield* told
      })
    )

  /**
   * A cancelled call ends at once. If its request has not started, it never starts. Otherwise the send
   * goes on without the call, and its outcome is stored.
   */
  const dispatch = (caller: Caller, request: SendSmsRequest, planned: PlannedSend) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const started = { value: false }
        const sending = yield* inFlight
          .track(claimAndSend(caller, request, planned, started))
          .pipe(Effect.interruptible, Effect.forkDetach({ startImmediately: true }))
        return yield* restore(Fiber.join(sending)).pipe(
          Effect.onInterrupt(() => (started.value ? Effect.void : Fiber.interrupt(sending)))
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
    if (Option.isSome(approved)) {
      const { approval: given, subject } = approved.value
      return admitted({ ...planned, kind: subject, approval: given, approvedBy: "person" })
    }
    const before = yield* memory.look(planned)
    const kind = kindOf(before, again)
    const result = kind === "first" ? before : yield* memory.look({ ...planned, kind })
    if (result._tag !== "Available") return done(yield* resolve(caller, result))
    const answer = yield* approval.ask(caller, request, kind, result.unresolved)
    return Predicate.isString(answer)
      ? admitted({ ...planned, kind, approvedBy: answer })
      : done(answer)
  })

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    given: SendSmsRequest,
    again: Again
  ): Effect.fn.Return<Sent | InputRequiredResult, Refusal, MessagingTopup> {
    const request = yield* checkRecipient(caller, given).pipe(
      Effect.tap(checkSegments(caller, given)),
      Audit.refusals(caller)
    )
    const planned = yield* plan(caller, request)
    const admission = yield* admit(caller, request, again, planned).pipe(Audit.refusals(planned))
    if (admission._tag === "Done") return admission.result
    return yield* dispatch(caller, request, admission.planned).pipe(
      // `track` refuses with `stopping` before anything is logged.
      Effect.tapError((refusal) =>
        refusal === stopping ? Audit.refused(planned, refusal) : Effect.void
      )
    )
  })

  return SendGuard.of({ send })
})
