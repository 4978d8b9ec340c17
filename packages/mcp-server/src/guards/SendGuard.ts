/**
 * Everything that stands between a call of `send_sms` and the service.
 *
 * The guards run in this order: recipients, segments, duplicates, sends an hour, a person's yes. The
 * right to send is then taken in one step that looks at duplicates and the hour again, because a
 * person may take minutes to answer.
 */
import {
  MessagingTopup,
  sendOutcome,
  type SendResult,
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
import * as Result from "effect/Result"
import type { InputRequiredResult } from "@modelcontextprotocol/server"
import * as Audit from "../Audit.ts"
import type { Call } from "../Call.ts"
import { failedSend, unknownBefore } from "../internal/Explain.ts"
import { Refusal } from "../Refusal.ts"
import * as AllowList from "./AllowList.ts"
import { Confirmation } from "./Confirmation.ts"
import * as Digest from "./Digest.ts"
import { InFlight } from "./InFlight.ts"
import { reportSending } from "./Progress.ts"
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

const notOnList = new Refusal({
  code: "recipient_not_allowed",
  text: "The SMS was not sent: the recipient is not on the list of allowed recipients of this server. Do not try another spelling or number. The person who runs the server can allow it with --allow-recipients (MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS)."
})

const tooLong = (segments: number, maxSegments: number) =>
  new Refusal({
    code: "too_many_segments",
    text: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${maxSegments}. Shorten the text; preview_sms counts the segments. The person who runs the server can allow more with --max-segments (MESSAGING_TOPUP_MCP_MAX_SEGMENTS).`,
    details: { segments, max_segments: maxSegments }
  })

const hourIsFull = (sendsPerHour: number, retryAfterSeconds: number) =>
  new Refusal({
    code: "hourly_cap_reached",
    text: `The SMS was not sent: this server sends at most ${sendsPerHour} SMS an hour, and that many went out. There is room again in ${Math.ceil(retryAfterSeconds / 60)} min. Tell the person; whoever runs the server can allow more with --max-sends-per-hour (MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR).`,
    details: { max_sends_per_hour: sendsPerHour, retry_after_seconds: retryAfterSeconds }
  })

const unknownNotResent = new Refusal({
  code: "unknown_not_resent",
  text: unknownBefore,
  details: { send_outcome: "unknown" }
})

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
      return Effect.fail(unknownNotResent)
    case "NotSent":
      return Effect.fail(outcome.refusal)
  }
}

const sentNow = (results: ReadonlyArray<SendResult>, readable: boolean): Sent => ({
  results,
  readable,
  duplicate: false
})

/** How the call to the service ended. Without an answer, an interruption for example, nobody knows. */
const outcomeOf = (
  exit: Exit.Exit<{ readonly data: ReadonlyArray<SendResult> }, Parameters<typeof sendOutcome>[0]>
): Outcome => {
  if (Exit.isSuccess(exit)) return { _tag: "Sent", results: exit.value.data, readable: true }
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

const auditRefusal =
  (call: Call) =>
  <A, R>(effect: Effect.Effect<A, Refusal, R>): Effect.Effect<A, Refusal, R> =>
    Effect.tapError(effect, (refusal) => Audit.refused(call.principal, refusal))

const make = Effect.fnUntraced(function* (options: SendGuardOptions) {
  const confirmation = yield* Confirmation
  const inFlight = yield* InFlight
  const memory = yield* SendMemory
  const { allowRecipients, key, maxSegments, sendsPerHour } = options
  const windowMillis = Duration.toMillis(options.duplicateWindow)

  const checkRecipient = ({ recipient }: SendSmsRequest) =>
    Option.isSome(allowRecipients) && !AllowList.allows(allowRecipients.value, recipient)
      ? Effect.fail(notOnList)
      : Effect.void

  const checkSegments = ({ message }: SendSmsRequest) => {
    const { segments } = SmsText.preview(message)
    return segments > maxSegments ? Effect.fail(tooLong(segments, maxSegments)) : Effect.void
  }

  /** `undefined` where the way is free. */
  const resolve = (finding: Finding): Effect.Effect<Sent | undefined, Refusal> => {
    switch (finding._tag) {
      case "Free":
        return Effect.undefined
      case "Full":
        return Effect.fail(hourIsFull(sendsPerHour, finding.retryAfterSeconds))
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
        const finding = yield* memory.claim(claim)
        const earlier = yield* restore(resolve(finding)).pipe(auditRefusal(call))
        if (earlier !== undefined) return earlier
        const service = yield* MessagingTopup
        yield* reportSending(call)
        const exit = yield* restore(service.sendSms(request)).pipe(
          Effect.onExit((ended) => {
            const outcome = outcomeOf(ended)
            return Effect.andThen(
              memory.settle(claim, outcome),
              Audit.sent(call.principal, claim.key, outcome)
            )
          }),
          Effect.result
        )
        if (Result.isSuccess(exit)) return sentNow(exit.success.data, true)
        const outcome = sendOutcome(exit.failure)
        if (outcome === "sent") return sentNow([], false)
        return yield* failedSend(exit.failure, outcome)
      })
    )

  /** The guards before the send: an answer, a question, or the claim to make. */
  const admit = Effect.fnUntraced(function* (
    call: Call,
    request: SendSmsRequest,
    resendUnknown: boolean
  ) {
    yield* checkRecipient(request)
    yield* checkSegments(request)
    const claim: Claim = {
      key: Digest.ofMessage(key, call.principal, request),
      principal: call.principal,
      windowMillis,
      sendsPerHour,
      again: false
    }
    const before = yield* memory.look(claim)
    const again = resendUnknown && before._tag === "Settled" && before.outcome._tag === "Unknown"
    const earlier = yield* resolve(again ? yield* memory.look({ ...claim, again }) : before)
    if (earlier !== undefined) return { _tag: "Answer", answer: earlier } as const
    const verdict = yield* confirmation.check(call, request, again)
    return verdict._tag === "Ask"
      ? ({ _tag: "Answer", answer: verdict.question } as const)
      : ({ _tag: "Admitted", claim: { ...claim, again } } as const)
  })

  return SendGuard.of({
    messageIds: memory.messageIds,
    send: (call, request, resendUnknown) =>
      admit(call, request, resendUnknown).pipe(
        auditRefusal(call),
        Effect.flatMap((admission) =>
          admission._tag === "Answer"
            ? Effect.succeed(admission.answer)
            : inFlight.track(dispatch(call, request, admission.claim))
        )
      )
  })
})
