/**
 * All checks between a call of `send_sms` and the service.
 *
 * The guards run in this order: recipients, segments, duplicates, sends per hour, a person's
 * approval. The right to send is then claimed in one atomic step that checks duplicates and the hour
 * again, because a person may take minutes to decide. An approval sent with the call is redeemed
 * before duplicates are checked.
 */
import {
  MessagingTopup,
  sendOutcome,
  type SendResult,
  type SendSmsError,
  type SendSmsRequest,
  SmsText
} from "@messaging-topup/core"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { InputRequiredResult } from "@modelcontextprotocol/server"
import type { Caller } from "../Caller.ts"
import {
  approvalUsed,
  cancelled,
  hourlyLimitReached,
  recipientNotAllowed,
  type Refusal,
  stopping,
  tooManySegments,
  unknownNotResent
} from "../Refusal.ts"
import { failedResend, failedSend } from "../ServiceFailure.ts"
import * as Audit from "./Audit.ts"
import { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import { reportSending } from "./Progress.ts"
import * as Recipient from "./Recipient.ts"
import { type Claim, type ClaimResult, type Outcome, SendMemory } from "./SendMemory.ts"

export interface SendGuardOptions {
  /** Absent: every recipient is allowed. */
  readonly allowRecipients: Option.Option<ReadonlyArray<Recipient.AllowRule>>
  readonly maxSegments: number
  readonly maxSendsPerHour: number
  readonly duplicateWindow: Duration.Duration
  /** Keys the digests of the arguments. */
  readonly key: Digest.Key
}

/** A send that the service accepted, now or before. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's response could be read. */
  readonly readable: boolean
  /** Whether an earlier call sent it, so that this one sent nothing. */
  readonly duplicate: boolean
}

export class SendGuard extends Context.Service<
  SendGuard,
  {
    /**
     * `resendUnknown`: the caller asks for a second send of an SMS whose first one is unknown.
     */
    readonly send: (
      caller: Caller,
      request: SendSmsRequest,
      resendUnknown: boolean
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

/** What the outcome of an earlier call of the same SMS means for this one. */
const repeated = (outcome: Outcome): Effect.Effect<Sent, Refusal> => {
  switch (outcome._tag) {
    case "Sent":
      return Effect.succeed({
        results: outcome.results,
        readable: outcome.readable,
        duplicate: true
      })
    case "Unknown":
      return Effect.fail(unknownNotResent)
    case "NotSent":
      return Effect.fail(outcome.refusal)
  }
}

const done = (result: Sent | InputRequiredResult) => ({ _tag: "Done", result }) as const

const admitted = (claim: Claim) => ({ _tag: "Admitted", claim }) as const

type Available = Extract<ClaimResult, { readonly _tag: "Available" }>

/** How the call to the service ended. An interruption after its start leaves it unknown. */
const outcomeOf = (
  exit: Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, SendSmsError>,
  hasStarted: boolean
): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "Sent", results: exit.value.data, readable: true }
  if (!hasStarted) return { _tag: "NotSent", refusal: cancelled }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isNone(error)) return { _tag: "Unknown" }
  switch (sendOutcome(error.value)) {
    case "not-sent":
      return { _tag: "NotSent", refusal: failedSend(error.value, "not-sent") }
    case "unknown":
      return { _tag: "Unknown" }
    case "sent":
      return { _tag: "Sent", results: [], readable: false }
  }
}

/** The failure of a send in words, unless the SMS was sent. */
const explained = (error: SendSmsError, isResend: boolean): Effect.Effect<Sent, Refusal> => {
  const outcome = sendOutcome(error)
  if (outcome === "sent") return Effect.succeed({ results: [], readable: false, duplicate: false })
  return Effect.fail(
    isResend && outcome === "not-sent" ? failedResend(error) : failedSend(error, outcome)
  )
}

const make = Effect.fnUntraced(function* (options: SendGuardOptions) {
  const confirmation = yield* Confirmation
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const { allowRecipients, key, maxSegments, maxSendsPerHour } = options
  const windowMillis = Duration.toMillis(options.duplicateWindow)

  const checkRecipient = (request: SendSmsRequest): Effect.Effect<SendSmsRequest, Refusal> => {
    if (Option.isNone(allowRecipients)) return Effect.succeed(request)
    const recipient = Recipient.allowed(allowRecipients.value, request.recipient)
    return recipient === undefined
      ? Effect.fail(recipientNotAllowed)
      : Effect.succeed({ ...request, recipient })
  }

  const checkSegments = ({ message }: SendSmsRequest) => {
    const { segments } = SmsText.preview(message)
    return segments > maxSegments
      ? Effect.fail(tooManySegments(segments, maxSegments))
      : Effect.void
  }

  /** Why a claim is not available: the outcome of an earlier send, or a refusal. */
  const resolve = (result: Exclude<ClaimResult, Available>): Effect.Effect<Sent, Refusal> => {
    switch (result._tag) {
      case "HourlyLimitReached":
        return Effect.fail(hourlyLimitReached(maxSendsPerHour, result.retryAfterSeconds))
      case "ApprovalUsed":
        return Effect.fail(approvalUsed)
      case "InFlight":
        return Effect.flatMap(result.outcome, repeated)
      case "Known":
        return repeated(result.outcome)
    }
  }

  /** Once the right to send is claimed, the outcome is remembered, whatever it is. */
  const dispatch = (caller: Caller, request: SendSmsRequest, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const result = yield* memory.claim(claim)
        if (result._tag !== "Available") {
          return yield* restore(resolve(result)).pipe(Audit.refusals(claim))
        }
        yield* reportSending(caller)
        let hasStarted = false
        const sending = Effect.suspend(() => {
          hasStarted = true
          return service.sendSms(request)
        })
        const exit = yield* Effect.exit(restore(sending))
        const outcome = outcomeOf(exit, hasStarted)
        yield* memory.settle(claim, outcome)
        yield* Audit.sent(claim, outcome)
        return yield* Effect.matchEffect(exit, {
          onSuccess: ({ data }) =>
            Effect.succeed<Sent>({ results: data, readable: true, duplicate: false }),
          onFailure: (error) => explained(error, claim.resend)
        })
      })
    )

  /** The guards before the send: a result, a question, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    caller: Caller,
    request: SendSmsRequest,
    resendUnknown: boolean,
    claim: Claim
  ) {
    yield* checkSegments(request)
    const approved = yield* confirmation.approvalOf(caller, request)
    // Redeemed before duplicates are checked: an approval counts once, whatever is known.
    if (Option.isSome(approved)) return admitted({ ...claim, ...approved.value })
    const before = yield* memory.look(claim)
    const resend = resendUnknown && before._tag === "Known" && before.outcome._tag === "Unknown"
    const result = resend ? yield* memory.look({ ...claim, resend }) : before
    if (result._tag !== "Available") return done(yield* resolve(result))
    const question = yield* confirmation.ask(caller, request, resend)
    return Option.isSome(question) ? done(question.value) : admitted({ ...claim, resend })
  })

  const send = Effect.fnUntraced(function* (
    caller: Caller,
    given: SendSmsRequest,
    resendUnknown: boolean
  ): Effect.fn.Return<Sent | InputRequiredResult, Refusal, MessagingTopup> {
    const claim: Claim = {
      key: Digest.ofMessage(key, caller.principal, given),
      principal: caller.principal,
      windowMillis,
      maxSendsPerHour,
      resend: false
    }
    const request = yield* checkRecipient(given).pipe(Audit.refusals(claim))
    const admission = yield* admit(caller, request, resendUnknown, claim).pipe(
      Audit.refusals(claim)
    )
    if (admission._tag === "Done") return admission.result
    return yield* inFlight.track(dispatch(caller, request, admission.claim)).pipe(
      // The only failure in there that is not in the log yet.
      Effect.tapError((refusal) =>
        refusal === stopping ? Audit.refused(claim, refusal) : Effect.void
      )
    )
  })

  return SendGuard.of({ messageIds: memory.messageIds, send })
})
