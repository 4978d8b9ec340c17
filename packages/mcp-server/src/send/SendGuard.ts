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
  sendOutcome,
  type SendResult,
  type SendSmsError,
  type SendSmsRequest,
  SmsText
} from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { InputRequiredResult } from "@modelcontextprotocol/server"
import type { Caller } from "../Caller.ts"
import {
  approvalUsed,
  cancelled,
  dailyLimitReached,
  hourlyLimitReached,
  recipientNotAllowed,
  type Refusal,
  type SendKind,
  stopping,
  tooManyRecipients,
  tooManySegments,
  unknownNotResent
} from "../Refusal.ts"
import { failedResend, failedSend, nameless } from "../ServiceFailure.ts"
import * as Audit from "./Audit.ts"
import { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import { reportSending } from "./Progress.ts"
import * as Recipient from "./Recipient.ts"
import type { RulesOf } from "./Rules.ts"
import { type Claim, type ClaimResult, type Outcome, SendMemory } from "./SendMemory.ts"

export interface SendGuardOptions {
  readonly rulesOf: RulesOf
  readonly duplicateWindow: Duration.Duration
  /** Keys the digests of the arguments. */
  readonly key: Digest.Key
}

/** A send that the service accepted, now or before. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  /** Set if an earlier call sent it, so that this one sent nothing. */
  readonly duplicate?: { readonly sentAtMillis: number; readonly windowEndsAtMillis: number }
}

/** What the caller asks for if an earlier call sent the same SMS. */
export interface Again {
  /** A second send of an SMS whose first one is unknown. */
  readonly resendUnknown: boolean
  /** A second copy of an SMS that went out. */
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
    /** The ids of the principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendGuard") {
  static readonly layer = (
    options: SendGuardOptions
  ): Layer.Layer<SendGuard, never, Confirmation | InFlight | SendMemory> =>
    Layer.effect(SendGuard, make(options))
}

const done = (result: Sent | InputRequiredResult) => ({ _tag: "Done", result }) as const

const admitted = (claim: Claim) => ({ _tag: "Admitted", claim }) as const

type Available = Extract<ClaimResult, { readonly _tag: "Available" }>

/** Every recipient has an id by which the service knows its message. */
const isNamed = (results: ReadonlyArray<SendResult>): boolean =>
  results.every(({ message_id }) => message_id !== "")

type SendExit = Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, SendSmsError>

/** How the call to the service ended. An interruption after its request left leaves it unknown. */
const outcomeOf = (
  exit: SendExit,
  hasLeft: boolean,
  canBeAsked: boolean,
  atMillis: number
): Outcome => {
  if (Exit.isSuccess(exit)) {
    const { data } = exit.value
    return isNamed(data)
      ? { _tag: "Sent", results: data, readable: true, atMillis }
      : { _tag: "Unknown" }
  }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) {
    return hasLeft ? { _tag: "Unknown" } : { _tag: "NotSent", refusal: cancelled }
  }
  switch (sendOutcome(error.value)) {
    case "not-sent":
      return { _tag: "NotSent", refusal: failedSend(error.value, "not-sent", canBeAsked) }
    case "unknown":
      return { _tag: "Unknown" }
    case "sent":
      return { _tag: "Sent", results: [], readable: false, atMillis }
  }
}

/** The end of a send in words: a refusal, unless the SMS was sent. */
const explained = (
  exit: SendExit,
  kind: SendKind,
  canBeAsked: boolean
): Effect.Effect<Sent, Refusal> =>
  Effect.matchEffect(exit, {
    onSuccess: ({ data }) =>
      isNamed(data)
        ? Effect.succeed({ results: data, readable: true })
        : Effect.fail(nameless(data, canBeAsked)),
    onFailure: (error) => {
      const outcome = sendOutcome(error)
      if (outcome === "sent") return Effect.succeed({ results: [], readable: false })
      return Effect.fail(
        kind === "resend" && outcome === "not-sent"
          ? failedResend(error, canBeAsked)
          : failedSend(error, outcome, canBeAsked)
      )
    }
  })

const kindOf = (before: ClaimResult, { resendUnknown, sendAgain }: Again): SendKind => {
  const isUnknown = before._tag === "Known" && before.outcome._tag === "Unknown"
  if (isUnknown) return resendUnknown ? "resend" : "first"
  return sendAgain ? "copy" : "first"
}

const make = Effect.fnUntraced(function* ({ duplicateWindow, key, rulesOf }: SendGuardOptions) {
  const confirmation = yield* Confirmation
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const windowMillis = Duration.toMillis(duplicateWindow)

  /** What the outcome of an earlier call of the same SMS means for this one. */
  const repeated = ({ canBeAsked }: Caller, outcome: Outcome): Effect.Effect<Sent, Refusal> => {
    switch (outcome._tag) {
      case "Sent":
        return Effect.succeed({
          results: outcome.results,
          readable: outcome.readable,
          duplicate: {
            sentAtMillis: outcome.atMillis,
            windowEndsAtMillis: outcome.atMillis + windowMillis
          }
        })
      case "Unknown":
        return Effect.fail(unknownNotResent(canBeAsked))
      case "NotSent":
        return Effect.fail(outcome.refusal)
    }
  }

  const checkRecipient = (
    caller: Caller,
    request: SendSmsRequest
  ): Effect.Effect<SendSmsRequest, Refusal> => {
    const { allowLists, maxRecipients } = rulesOf(caller)
    const numbers = Recipient.numbersIn(request.recipient)
    const recipient =
      allowLists.length === 0 ? request.recipient : Recipient.allowed(allowLists, numbers)
    if (recipient === undefined) return Effect.fail(recipientNotAllowed)
    return numbers.length > maxRecipients
      ? Effect.fail(tooManyRecipients(numbers.length, maxRecipients))
      : Effect.succeed({ ...request, recipient })
  }

  const checkSegments = (caller: Caller, { message }: SendSmsRequest) => {
    const { maxSegments } = rulesOf(caller)
    const { segments } = SmsText.preview(message)
    return segments > maxSegments
      ? Effect.fail(tooManySegments(segments, maxSegments))
      : Effect.void
  }

  const claimOf = (caller: Caller, request: SendSmsRequest): Claim => {
    const messages = Math.max(1, Recipient.numbersIn(request.recipient).length)
    return {
      key: Digest.ofMessage(key, caller.principal, request),
      principal: caller.principal,
      windowMillis,
      messages,
      segments: messages * SmsText.preview(request.message).segments,
      caps: rulesOf(caller).caps,
      kind: "first"
    }
  }

  /** Why a claim is not available: the outcome of an earlier send, or a refusal. */
  const resolve = (
    caller: Caller,
    result: Exclude<ClaimResult, Available>
  ): Effect.Effect<Sent, Refusal> => {
    switch (result._tag) {
      case "CapReached": {
        const { cap, retryAfterSeconds } = result
        return Effect.fail(
          cap.counts === "messages"
            ? hourlyLimitReached(cap.limit, retryAfterSeconds)
            : dailyLimitReached(cap.limit, retryAfterSeconds)
        )
      }
      case "ApprovalUsed":
        return Effect.fail(approvalUsed)
      case "InFlight":
        return Effect.flatMap(result.outcome, (outcome) => repeated(caller, outcome))
      case "Known":
        return repeated(caller, result.outcome)
    }
  }

  /** Once the right to send is claimed, the outcome is remembered, whatever it is. */
  const claimAndSend = (
    caller: Caller,
    request: SendSmsRequest,
    claim: Claim,
    left: { value: boolean }
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const result = yield* memory.claim(claim)
        if (result._tag !== "Available") {
          return yield* restore(resolve(caller, result)).pipe(Audit.refusals(claim))
        }
        yield* Audit.sending(claim)
        yield* reportSending(caller)
        const exit = yield* service.sendSms(request).pipe(
          Effect.provideService(OnRequestStart, () => {
            left.value = true
          }),
          restore,
          Effect.exit
        )
        const now = yield* Clock.currentTimeMillis
        const outcome = outcomeOf(exit, left.value, caller.canBeAsked, now)
        yield* memory.settle(claim, outcome)
        yield* Audit.sent(claim, outcome)
        return yield* explained(exit, claim.kind, caller.canBeAsked)
      })
    )

  /**
   * A call that is cancelled ends at once. If its request has not left, it never leaves; otherwise the
   * send goes on without the call, and its outcome is learned.
   */
  const dispatch = (caller: Caller, request: SendSmsRequest, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const left = { value: false }
        const sending = yield* inFlight
          .track(claimAndSend(caller, request, claim, left))
          .pipe(Effect.interruptible, Effect.forkDetach({ startImmediately: true }))
        return yield* restore(Fiber.join(sending)).pipe(
          Effect.onInterrupt(() => (left.value ? Effect.void : Fiber.interrupt(sending)))
        )
      })
    )

  /** The guards before the send: a result, a question, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    caller: Caller,
    request: SendSmsRequest,
    again: Again,
    claim: Claim
  ) {
    yield* checkSegments(caller, request)
    const approved = yield* confirmation.approvalOf(caller, request)
    // Redeemed before duplicates are checked: an approval counts once, whatever is known.
    if (Option.isSome(approved)) return admitted({ ...claim, ...approved.value })
    const before = yield* memory.look(claim)
    const kind = kindOf(before, again)
    const result = kind === "first" ? before : yield* memory.look({ ...claim, kind })
    if (result._tag !== "Available") return done(yield* resolve(caller, result))
    const question = yield* confirmation.ask(caller, request, kind)
    return Option.isSome(question) ? done(question.value) : admitted({ ...claim, kind })
  })

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    given: SendSmsRequest,
    again: Again
  ): Effect.fn.Return<Sent | InputRequiredResult, Refusal, MessagingTopup> {
    const claim = claimOf(caller, given)
    const request = yield* checkRecipient(caller, given).pipe(Audit.refusals(claim))
    const admission = yield* admit(caller, request, again, claim).pipe(Audit.refusals(claim))
    if (admission._tag === "Done") return admission.result
    return yield* dispatch(caller, request, admission.claim).pipe(
      // The only failure in there that is not in the log yet.
      Effect.tapError((refusal) =>
        refusal === stopping ? Audit.refused(claim, refusal) : Effect.void
      )
    )
  })

  return SendGuard.of({ messageIds: memory.messageIds, send })
})
