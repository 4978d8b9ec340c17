/**
 * All checks between a call of `send_sms` and the service.
 *
 * The guards run in this order: recipients, segments, duplicates, limits, a person's approval. The
 * right to send is then claimed in one atomic step that checks duplicates and limits again, because a
 * person may take minutes to decide. An approval sent with the call is redeemed before duplicates
 * are checked.
 */
import {
  MessagingTopup,
  OnRequestStart,
  type SendResult,
  type SendSmsRequest,
  SmsText
} from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { InputRequiredResult } from "@modelcontextprotocol/server"
import type { Caller } from "../Caller.ts"
import {
  limitReached,
  recipientNotAllowed,
  recipientUnclear,
  type Refusal,
  stopping,
  tooLate,
  tooManyRecipients,
  tooManySegments,
  unknownCopyNotResent,
  unknownNotResent
} from "../results/Refusal.ts"
import { approvalUsed, declinedBefore } from "../results/ApprovalRefusals.ts"
import * as Audit from "./Audit.ts"
import type { Claim, SendKind } from "./Claim.ts"
import { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import type { Outcome } from "./Outcome.ts"
import { reportSending } from "./Progress.ts"
import * as Recipient from "./Recipient.ts"
import type { RulesOf } from "./Rules.ts"
import { type Ended, outcomeOf, resultOf, type Sent } from "./SendEnd.ts"
import { type ClaimResult, type LookResult, SendMemory } from "./SendMemory.ts"

export interface SendGuardOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
  /** The address of the service. The same SMS to another service is another send. */
  readonly service: string
}

/** What the caller asks for if an earlier call sent the same SMS. */
export interface Again {
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
    /** Remembers the status that a read returned, so that a repeated call of the send can show it. */
    readonly noteStatus: (messageId: string, status: string) => void
    /** The ids of the principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendGuard") {
  static readonly layer = (
    options: SendGuardOptions
  ): Layer.Layer<SendGuard, never, Confirmation | InFlight | SendMemory> =>
    Layer.effect(SendGuard, make(options))
}

const rememberedStatuses = 1_000

const done = (result: Sent | InputRequiredResult) => ({ _tag: "Done", result }) as const

const admitted = (claim: Claim) => ({ _tag: "Admitted", claim }) as const

type Unblocked = Extract<ClaimResult | LookResult, { readonly _tag: "Available" | "Claimed" }>

const kindOf = (before: LookResult, { resendUnknown, sendAgain }: Again): SendKind => {
  const isUnknown = before._tag === "Duplicate" && before.outcome._tag === "Unknown"
  if (isUnknown) return resendUnknown ? "resend" : "first"
  if (!sendAgain) return "first"
  return before._tag === "Duplicate" ? "copy" : "again"
}

const make = Effect.fnUntraced(function* ({
  duplicateWindow,
  rulesOf,
  service: address
}: SendGuardOptions) {
  const confirmation = yield* Confirmation
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const windowMillis = Duration.toMillis(duplicateWindow)
  /** The status that was last read, by message_id. */
  const statuses = new Map<string, string>()

  const noteStatus = (messageId: string, status: string): void => {
    statuses.delete(messageId)
    statuses.set(messageId, status)
    const [oldest] = statuses.keys()
    if (statuses.size > rememberedStatuses && oldest !== undefined) statuses.delete(oldest)
  }

  const withLastStatus = (results: ReadonlyArray<SendResult>): ReadonlyArray<SendResult> =>
    results.map((result) => ({
      ...result,
      status: statuses.get(result.message_id) ?? result.status
    }))

  /** Turns the outcome of an earlier call of the same SMS into the result of this call. */
  const repeated = (caller: Caller, outcome: Outcome): Effect.Effect<Sent, Refusal> => {
    const { canBeAsked } = caller
    switch (outcome._tag) {
      case "Sent":
        return Effect.succeed({
          results: withLastStatus(outcome.results),
          readable: outcome.readable,
          duplicate: {
            sentAtMillis: outcome.atMillis,
            windowEndsAtMillis: outcome.untilMillis ?? outcome.atMillis + windowMillis,
            sendsAfterWindow: rulesOf(caller).confirm.value !== "require"
          }
        })
      case "Unknown":
        return Effect.fail(
          outcome.first === undefined
            ? unknownNotResent(canBeAsked)
            : unknownCopyNotResent(outcome.first, canBeAsked)
        )
      case "NotSent":
        return Effect.fail(outcome.refusal)
    }
  }

  const checkRecipient = (
    caller: Caller,
    request: SendSmsRequest
  ): Effect.Effect<SendSmsRequest, Refusal> => {
    const { allowLists, maximums } = rulesOf(caller)
    const { option, value: lists } = allowLists
    const numbers = Recipient.numbersIn(request.recipient)
    const recipient =
      lists.length === 0 ? request.recipient : Recipient.allowed(lists, request.recipient)
    if (recipient === undefined) return Effect.fail(recipientNotAllowed(option))
    if (numbers.length === 0 || !numbers.every(Recipient.isClear)) {
      return Effect.fail(recipientUnclear)
    }
    const maximum = maximums["max-recipients"]
    return numbers.length > maximum.value
      ? Effect.fail(tooManyRecipients(numbers.length, maximum))
      : Effect.succeed({ ...request, recipient })
  }

  const checkSegments = (caller: Caller, { message }: SendSmsRequest) => {
    const maximum = rulesOf(caller).maximums["max-segments"]
    const { segments } = SmsText.preview(message)
    return segments > maximum.value ? Effect.fail(tooManySegments(segments, maximum)) : Effect.void
  }

  const claimOf = Effect.fnUntraced(function* (caller: Caller, request: SendSmsRequest) {
    const messages = Math.max(1, Recipient.numbersIn(request.recipient).length)
    const parts = Digest.partsOfMessage(address, caller.principal, request)
    const claim: Claim = {
      key: yield* memory.digest(parts),
      principal: caller.principal,
      recipient: request.recipient,
      messages,
      segments: messages * SmsText.preview(request.message).segments,
      limits: rulesOf(caller).limits,
      kind: "first"
    }
    return claim
  })

  /** Turns what blocks a claim into a result: the outcome of an earlier send, or a refusal. */
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
        return Effect.flatMap(result.outcome, (outcome) => repeated(caller, outcome))
      case "Duplicate":
        return repeated(caller, result.outcome)
    }
  }

  /** Uninterruptible, so that every claim is settled with an outcome. */
  const claimAndSend = (
    caller: Caller,
    request: SendSmsRequest,
    claim: Claim,
    started: { value: boolean }
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const result = yield* memory.claim(claim).pipe(Audit.refusals(claim))
        if (result._tag !== "Claimed") {
          return yield* restore(resolve(caller, result)).pipe(Audit.refusals(claim))
        }
        yield* Audit.sending(claim)
        yield* reportSending(caller)
        if ((yield* Clock.currentTimeMillis) >= result.claimed.staleAt) {
          const outcome: Outcome = { _tag: "NotSent", refusal: tooLate }
          yield* memory.settle(claim, result.claimed, outcome)
          yield* Audit.sent(claim, outcome)
          return yield* Effect.fail(tooLate)
        }
        const exit = yield* service.sendSms(request).pipe(
          Effect.provideService(OnRequestStart, () => {
            started.value = true
          }),
          restore,
          Effect.exit
        )
        const ended: Ended = {
          exit,
          hasStarted: started.value,
          messages: claim.messages,
          kind: claim.kind,
          canBeAsked: caller.canBeAsked,
          atMillis: yield* Clock.currentTimeMillis,
          first: result.first
        }
        const outcome = outcomeOf(ended)
        yield* memory.settle(claim, result.claimed, outcome)
        yield* Audit.sent(claim, outcome)
        return yield* resultOf(ended)
      })
    )

  /**
   * A cancelled call ends at once. If its request has not started, it never starts. Otherwise the send
   * goes on without the call, and its outcome is stored.
   */
  const dispatch = (caller: Caller, request: SendSmsRequest, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const started = { value: false }
        const sending = yield* inFlight
          .track(claimAndSend(caller, request, claim, started))
          .pipe(Effect.interruptible, Effect.forkDetach({ startImmediately: true }))
        return yield* restore(Fiber.join(sending)).pipe(
          Effect.onInterrupt(() => (started.value ? Effect.void : Fiber.interrupt(sending)))
        )
      })
    )

  /** Runs the guards. Returns a result, a question for the person, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    caller: Caller,
    request: SendSmsRequest,
    again: Again,
    claim: Claim
  ) {
    yield* checkSegments(caller, request)
    const approved = yield* confirmation.approvalOf(caller, request)
    // Without a look at duplicates: the claim redeems the approval first, so it can be used only once.
    if (Option.isSome(approved)) return admitted({ ...claim, ...approved.value })
    const before = yield* memory.look(claim)
    const kind = kindOf(before, again)
    const result = kind === "first" ? before : yield* memory.look({ ...claim, kind })
    if (result._tag !== "Available") return done(yield* resolve(caller, result))
    const question = yield* confirmation.ask(caller, request, kind, result.unresolved)
    return Option.isSome(question) ? done(question.value) : admitted({ ...claim, kind })
  })

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    given: SendSmsRequest,
    again: Again
  ): Effect.fn.Return<Sent | InputRequiredResult, Refusal, MessagingTopup> {
    const claim = yield* claimOf(caller, given)
    const request = yield* checkRecipient(caller, given).pipe(Audit.refusals(claim))
    const admission = yield* admit(caller, request, again, claim).pipe(Audit.refusals(claim))
    if (admission._tag === "Done") return admission.result
    return yield* dispatch(caller, request, admission.claim).pipe(
      // `track` refuses with `stopping` before anything is logged.
      Effect.tapError((refusal) =>
        refusal === stopping ? Audit.refused(claim, refusal) : Effect.void
      )
    )
  })

  return SendGuard.of({ messageIds: memory.messageIds, noteStatus, send })
})
