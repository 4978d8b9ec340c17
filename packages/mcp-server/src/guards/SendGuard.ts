/**
 * Everything that stands between a call of `send_sms` and the service.
 *
 * The guards run in this order: recipients, segments, duplicates, sends an hour, a person's yes. The
 * right to send is then taken in one step that looks at duplicates and the hour again, because a
 * person may take minutes to answer. A call that brings that answer has it taken before the look.
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
import * as Audit from "../Audit.ts"
import type { Call } from "../Call.ts"
import { failedResend, failedSend } from "../internal/Explain.ts"
import type { Refusal } from "../Refusal.ts"
import * as AllowList from "./AllowList.ts"
import { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import { reportSending } from "./Progress.ts"
import * as Refusals from "./Refusals.ts"
import { type Claim, type Finding, type Outcome, SendMemory } from "./SendMemory.ts"

export interface SendGuardOptions {
  /** Absent: every recipient is allowed. */
  readonly allowRecipients: Option.Option<ReadonlyArray<AllowList.AllowRule>>
  readonly maxSegments: number
  readonly sendsPerHour: number
  readonly duplicateWindow: Duration.Duration
  /** Keys the digests of the arguments. */
  readonly key: Digest.Key
}

/** A send that the service accepted, now or before. */
export interface Sent {
  readonly results: ReadonlyArray<SendResult>
  /** Whether the service's answer could be read. */
  readonly readable: boolean
  /** Whether it went out by an earlier call, so that this one sent nothing. */
  readonly duplicate: boolean
}

export class SendGuard extends Context.Service<
  SendGuard,
  {
    /**
     * `resendUnknown`: the caller asks for a second send of a message whose first one is unknown.
     */
    readonly send: (
      call: Call,
      request: SendSmsRequest,
      resendUnknown: boolean
    ) => Effect.Effect<Sent | InputRequiredResult, Refusal, MessagingTopup>
    /** The ids of the principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/guards/SendGuard") {
  static readonly layer = (
    options: SendGuardOptions
  ): Layer.Layer<SendGuard, never, Confirmation | InFlight | SendMemory> =>
    Layer.effect(SendGuard, make(options))
}

/** What an earlier call of the same message means for this one. */
const repeated = (outcome: Outcome): Effect.Effect<Sent, Refusal> => {
  switch (outcome._tag) {
    case "Sent":
      return Effect.succeed({
        results: outcome.results,
        readable: outcome.readable,
        duplicate: true
      })
    case "Unknown":
      return Effect.fail(Refusals.unknownNotResent)
    case "NotSent":
      return Effect.fail(outcome.refusal)
  }
}

const answered = (answer: Sent | InputRequiredResult) => ({ _tag: "Answered", answer }) as const

const admitted = (claim: Claim) => ({ _tag: "Admitted", claim }) as const

type Free = Extract<Finding, { readonly _tag: "Free" }>

/** How the call to the service ended. Without an answer, an interruption for example, nobody knows. */
const outcomeOf = (
  exit: Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, SendSmsError>,
  hasStarted: boolean
): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "Sent", results: exit.value.data, readable: true }
  if (!hasStarted) return { _tag: "NotSent", refusal: Refusals.cancelled }
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

/** The failure of a send in words, unless it is none. */
const explained = (error: SendSmsError, again: boolean): Effect.Effect<Sent, Refusal> => {
  const outcome = sendOutcome(error)
  if (outcome === "sent") return Effect.succeed({ results: [], readable: false, duplicate: false })
  return Effect.fail(
    again && outcome === "not-sent" ? failedResend(error) : failedSend(error, outcome)
  )
}

const make = Effect.fnUntraced(function* (options: SendGuardOptions) {
  const confirmation = yield* Confirmation
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const { allowRecipients, key, maxSegments, sendsPerHour } = options
  const windowMillis = Duration.toMillis(options.duplicateWindow)

  const checkRecipient = (request: SendSmsRequest): Effect.Effect<SendSmsRequest, Refusal> => {
    if (Option.isNone(allowRecipients)) return Effect.succeed(request)
    const recipient = AllowList.allowed(allowRecipients.value, request.recipient)
    return recipient === undefined
      ? Effect.fail(Refusals.notOnList)
      : Effect.succeed({ ...request, recipient })
  }

  const checkSegments = ({ message }: SendSmsRequest) => {
    const { segments } = SmsText.preview(message)
    return segments > maxSegments
      ? Effect.fail(Refusals.tooLong(segments, maxSegments))
      : Effect.void
  }

  /** What stands in the way of a send: an earlier one's end, or a refusal. */
  const resolve = (finding: Exclude<Finding, Free>): Effect.Effect<Sent, Refusal> => {
    switch (finding._tag) {
      case "Full":
        return Effect.fail(Refusals.hourIsFull(sendsPerHour, finding.retryAfterSeconds))
      case "Used":
        return Effect.fail(Refusals.approvalUsed)
      case "InFlight":
        return Effect.flatMap(finding.outcome, repeated)
      case "Settled":
        return repeated(finding.outcome)
    }
  }

  /** Once the right to send is taken, its end is remembered, whatever that is. */
  const dispatch = (call: Call, request: SendSmsRequest, claim: Claim) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const service = yield* MessagingTopup
        const finding = yield* memory.claim(claim)
        if (finding._tag !== "Free") {
          return yield* restore(resolve(finding)).pipe(Audit.refusals(claim))
        }
        yield* reportSending(call)
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
          onFailure: (error) => explained(error, claim.again)
        })
      })
    )

  /** The guards before the send: an answer, a question, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    call: Call,
    request: SendSmsRequest,
    resendUnknown: boolean,
    claim: Claim
  ) {
    yield* checkSegments(request)
    const answer = yield* confirmation.answerOf(call, request)
    // Nothing is looked up before a person's word is taken: it counts once, whatever is found.
    if (Option.isSome(answer)) return admitted({ ...claim, ...answer.value })
    const before = yield* memory.look(claim)
    const again = resendUnknown && before._tag === "Settled" && before.outcome._tag === "Unknown"
    const finding = again ? yield* memory.look({ ...claim, again }) : before
    if (finding._tag !== "Free") return answered(yield* resolve(finding))
    const question = yield* confirmation.ask(call, request, again)
    return Option.isSome(question) ? answered(question.value) : admitted({ ...claim, again })
  })

  const send = Effect.fnUntraced(function* (
    call: Call,
    given: SendSmsRequest,
    resendUnknown: boolean
  ): Effect.fn.Return<Sent | InputRequiredResult, Refusal, MessagingTopup> {
    const claim: Claim = {
      key: Digest.ofMessage(key, call.principal, given),
      principal: call.principal,
      windowMillis,
      sendsPerHour,
      again: false
    }
    const request = yield* checkRecipient(given).pipe(Audit.refusals(claim))
    const admission = yield* admit(call, request, resendUnknown, claim).pipe(Audit.refusals(claim))
    if (admission._tag === "Answered") return admission.answer
    return yield* inFlight.track(dispatch(call, request, admission.claim)).pipe(
      // Of all that can go wrong in there, only this is not in the log yet.
      Effect.tapError((refusal) =>
        refusal === Refusals.stopped ? Audit.refused(claim, refusal) : Effect.void
      )
    )
  })

  return SendGuard.of({ messageIds: memory.messageIds, send })
})
