/**
 * Asks a person a question, if the client can ask, and reads the reply.
 *
 * A question ends its call. It is sealed: signed, bound to what was asked and the caller, and expires. The
 * client returns it with the reply, to this server or to a replica with the same key. The journal
 * ensures that it is used once.
 *
 * Some clients reply by themselves where no person is present. They do so within milliseconds, so a
 * reply that is faster than a person can read is the client's own, and never an approval.
 */
import type { Approval as JournalApproval, UsedAs } from "@messaging-topup/journal/internal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { count } from "../Telemetry.ts"
import type { PlannedSms } from "./Plan.ts"
import type { PersonChannel, Caller } from "./Caller.ts"
import { nothingSent, Refusal } from "./Refusal.ts"
import type { Question } from "./Question.ts"
import type { Journal } from "./Journal.ts"
import { isOpen, type KnownSms } from "./Standing.ts"
import { sentences } from "../Sentences.ts"

const notUnlessAsked = "Do not call again unless the person asks for it."

const asksAgain = "The same call asks the person again."

const unapproved = (code: Refusal["code"], why: string, next: string): Refusal =>
  new Refusal({ code, ...nothingSent(why), next })

const confirmationDeclined = unapproved(
  "confirmation_declined",
  "the person declined",
  notUnlessAsked
)

const cancelled = (why: string) =>
  unapproved("confirmation_cancelled", why, `Ask the person what to do. ${asksAgain}`)

/** It does not repeat the error text of a client, which could contain anything. */
const confirmationCancelled = cancelled(
  "the question was closed, not shown, or got no reply in time"
)

/** Nor its reply. */
const confirmationUnclear = cancelled(
  "the client's reply was not understood, because it does not fit the form of the question"
)

export const stopping = new Refusal({
  code: "stopping",
  ...nothingSent("this server is stopping"),
  next: "Call again when it runs again.",
  concernsAll: true
})

/** The action for a question that was open when the server began to stop: nobody replies any more. */
export const serverStops = "server stops"

/** The action of a question that came back without all its lines: a person may have taken recipients out. */
export const linesLeftOut = "lines left out"

/** The action of a reply that no form has. */
export const notUnderstood = "not understood"

const confirmationOfLess = unapproved(
  "confirmation_cancelled",
  "lines of the question were left out, and an approval is for all of it",
  `Ask the person what to leave out, and call with the rest. ${asksAgain}`
)

const confirmationUnasked = (did: string) =>
  unapproved(
    "confirmation_unasked",
    `nobody was asked, because the client ${did} by itself, faster than a person can read`,
    "Do not call again: tell the person that this client asks nobody, and that nothing was sent."
  )

/** A refusal, by its action. */
const refusals: ReadonlyMap<string, Refusal> = new Map([
  ["decline", confirmationDeclined],
  ["cancel", confirmationCancelled],
  [linesLeftOut, confirmationOfLess]
])

const unaskedRefusals: ReadonlyMap<string, Refusal> = new Map([
  ["decline", confirmationUnasked("declined")],
  ["cancel", confirmationUnasked("closed the question")]
])

export const approvalInvalid = unapproved(
  "approval_invalid",
  "the question is no longer valid: the call or what is known of its SMS changed, or the server was started anew",
  asksAgain
)

/** Also if the person declines what they approved before. */
const approvalUsed = unapproved(
  "approval_used",
  "its approval was used before, and the call that used it may have sent what was approved",
  notUnlessAsked
)

/** The approval belongs to a question that had a reply before, by the person or by the client itself. */
const declinedBefore = unapproved(
  "confirmation_declined",
  "its question got a reply before that was no approval",
  notUnlessAsked
)

/** A question to a person that ends its call: the client shows it, and calls again with the reply. */
export class Pending extends Data.TaggedError("Pending")<{
  readonly notice: string
  readonly question: Question
  /** All SMS of the call. */
  readonly all: ReadonlyArray<KnownSms>
  /** What the client returns with the reply. */
  readonly sealed: string
  readonly expiresAt: number
}> {
  /** It is one paragraph: a host may show only its first lines. */
  override get message(): string {
    return sentences(this.notice, this.question.paragraph)
  }
}

/** The sentence that starts every result and question of a server, such as that it is the sandbox. */
export const Notice = Context.Reference<string>("@messaging-topup/mcp-server/Notice", {
  defaultValue: () => ""
})

/** How long a person may take to reply. */
export const confirmTimeout = Duration.minutes(10)

/** Nobody reads a question and replies in less time. Hosts without a person take about 6 ms. */
export const shortestReading = Duration.millis(300)

/** The approval of a call was used before. */
export const usedBefore = (as: UsedAs): Refusal =>
  as === "approved" ? approvalUsed : declinedBefore

const advice =
  "where nobody is present, the operator can choose --confirm off with --allow-recipients, and the permission of the host decides"

/** Not set by anybody while a person reads. */
export const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) =>
  Number(nanos / 1_000_000n)
)

/** Whether the client replied by itself. Counts the reply, and tells the operator. */
const isUnasked = Effect.fnUntraced(function* (action: string, millis: number) {
  const unasked = millis >= 0 && millis < Duration.toMillis(shortestReading)
  const known = action === "accept" || action === "decline" ? action : "cancel"
  yield* count("confirmations", unasked ? "unasked" : known)
  if (unasked) {
    const entry = "the client replied by itself, and asked nobody"
    yield* Effect.logWarning(entry, { action: known, advice })
  }
  return unasked
})

/**
 * What a person approves of an SMS: its key, which has the service and the caller, and its whole request. The other fields
 * follow from these parts of all SMS. What a question shows and nothing else has is a part, too: otherwise the same approval
 * would be for another one.
 */
export const approvedParts = {
  key: "part",
  request: "part",
  segments: "follows",
  number: "follows",
  batch: "follows"
} as const satisfies Record<keyof PlannedSms, "follows" | "part">

const parts = Struct.keys(approvedParts).filter((field) => approvedParts[field] === "part")

/**
 * Of what a person approves. The client that keeps this digest wrote the arguments, so it needs no key of its own.
 * `node:crypto` takes milliseconds to load, and most servers on stdio never need it.
 */
const digestOf = (planned: ReadonlyArray<PlannedSms>): string =>
  process
    .getBuiltinModule("node:crypto")
    .createHash("sha256")
    .update(JSON.stringify(planned.map((sms) => parts.map((part) => sms[part]))))
    .digest("base64url")

const SealedQuestion = Schema.Struct({
  /** Of all SMS of the call. */
  digest: Schema.String,
  /** How each stood that is no first send, and which are left out: an approval covers no other row or attempt. */
  stood: Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite, Schema.String])),
  /** What came later to one of the numbers, and would be told of, was not approved over. */
  newestTold: Schema.Finite,
  nonce: Schema.String,
  askedAt: Schema.Finite
})

/** The attempt and the state of an SMS that nobody tried to send. */
const firstSend = [0, "free"] as const

/** Only this process can compare its own monotonic times. */
const thisProcess = crypto.randomUUID()

const decodeSealed = Schema.decodeUnknownResult(SealedQuestion)

/**
 * Adds which process asked, and when, as late as it can: to seal takes time, too. It is not sealed, because a client
 * that changes it could as well wait.
 */
const withTime = (sealed: string) =>
  Effect.map(monotonicMillis, (askedWhen) => `${thisProcess} ${askedWhen} ${sealed}`)

const timed = /^(\S+) (\d+) (.+)$/s

/** The same, read. */
const timeIn = (returned: unknown) => {
  const [, asker, askedWhen, sealed = ""] = timed.exec(String(returned)) ?? []
  return { sealed, askedWhen: asker === thisProcess ? Number(askedWhen) : undefined }
}

/** The reply that came with a call. Its caller has no way to ask if the client asks nobody, whatever it declares. */
export type Reply = { readonly caller: Caller } & (
  | { readonly _tag: "None" }
  /** The client accepted faster than a person can read. */
  | { readonly _tag: "Unasked" }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }
  | {
      readonly _tag: "Approved"
      /** Whether it is for this SMS, as it stands. The claim checks it again, and the others to its number. */
      readonly covers: (sms: KnownSms) => boolean
      /** The id of the newest of other sends that the question told of. */
      readonly newestTold: number
      /** The claim of an only SMS redeems it, and tells what another call did with the same approval. */
      readonly redeemable: JournalApproval
    }
)

/** Reads the reply that came with the call, if any. A refusal uses the question up, as an approval does. */
export const replyOf = Effect.fnUntraced(function* (
  { use }: Journal["Service"],
  caller: Caller,
  planned: ReadonlyArray<PlannedSms>
): Effect.fn.Return<Reply, Refusal> {
  const { person } = caller
  if (person?.action === undefined) return { _tag: "None", caller }
  const { action } = person
  const refused = (refusal: Refusal): Reply => ({ _tag: "Refused", caller, refusal })
  if (action === serverStops) return refused(stopping)
  const { askedWhen, sealed } = timeIn(person.sealed)
  const unsealed = yield* Effect.result(person.unseal(sealed))
  const decoded = Result.flatMap(unsealed, decodeSealed)
  if (Result.isFailure(decoded)) return refused(approvalInvalid)
  const { askedAt, digest, newestTold, nonce, stood } = decoded.success
  const now = yield* Clock.currentTimeMillis
  const sinceReply = (yield* monotonicMillis) - person.repliedWhen
  // The clock may be set while a person reads.
  const readMillis =
    askedWhen === undefined ? now - sinceReply - askedAt : person.repliedWhen - askedWhen
  const redeemable = { nonce, validFor: confirmTimeout }
  // Also if the machine slept meanwhile: timers stopped, and the clock did not.
  if (now - askedAt > Duration.toMillis(confirmTimeout)) return refused(confirmationCancelled)
  const unasked = yield* isUnasked(action, readMillis)
  // A clock that was set back, or is that of a replica, does not tell how long. The person is asked again.
  if (action === "accept" && readMillis < 0) return { _tag: "None", caller }
  if (action === "accept" && !unasked) {
    if (digestOf(planned) !== digest) return refused(approvalInvalid)
    const others = new Map(stood.map(([number, ...stands]) => [number, stands]))
    // What the question does not list was a first send: the digest is that of all SMS of the call.
    const covers = ({ number, standing }: KnownSms) => {
      const [attempt, state] = others.get(number) ?? firstSend
      return attempt === standing.attempt && state === standing.state
    }
    return { _tag: "Approved", caller, covers, newestTold, redeemable }
  }
  // The same question may have been approved before, and the SMS sent.
  const before = yield* use(({ server }) => server.redeem(redeemable, "declined"))
  if (before === "approved") return refused(approvalUsed)
  if (action === "accept") return { _tag: "Unasked", caller: { ...caller, person: undefined } }
  return refused(
    unasked
      ? (unaskedRefusals.get(action) ?? confirmationUnasked("replied"))
      : (refusals.get(action) ?? confirmationUnclear)
  )
})

/** Ends the call with a question about those of its SMS that are open. */
export const ask = Effect.fnUntraced(function* (
  person: PersonChannel,
  question: Question,
  all: ReadonlyArray<KnownSms>
): Effect.fn.Return<never, Pending> {
  const askedAt = yield* Clock.currentTimeMillis
  const toSeal: typeof SealedQuestion.Type = {
    digest: digestOf(all),
    stood: all
      .map((sms) => {
        const { attempt, state } = sms.standing
        return [sms.number, attempt, isOpen(sms) ? state : "left out"] as const
      })
      .filter(([, ...stands]) => stands.join() !== firstSend.join()),
    newestTold: question.newestTold,
    nonce: crypto.randomUUID(),
    askedAt
  }
  return yield* new Pending({
    notice: yield* Notice,
    question,
    all,
    sealed: yield* Effect.flatMap(person.seal(toSeal), withTime),
    expiresAt: askedAt + Duration.toMillis(confirmTimeout)
  })
})
