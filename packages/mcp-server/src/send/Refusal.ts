/**
 * Refusals: why a tool did not do what it was asked to do.
 *
 * The words of a refusal stand beside the check that refuses, those of failures of the service in
 * `ServiceFailure.ts`.
 */
import type { SendOutcome } from "@messaging-topup/core"
import * as Data from "effect/Data"
import { bothNames, type Name } from "../Options.ts"
import { sentences } from "../Sentences.ts"

/** What a refusal says to programs. */
export const refusalCodes = [
  "invalid_arguments",
  "recipient_not_allowed",
  "recipient_unclear",
  "too_many_segments",
  "too_many_rows",
  "rows_refused",
  "unknown_not_resent",
  "closed_by_person",
  "limit_reached",
  "confirmation_declined",
  "confirmation_cancelled",
  "confirmation_unasked",
  "confirmation_unavailable",
  "confirmation_on_card",
  "approval_invalid",
  "approval_used",
  "journal_unavailable",
  "not_started",
  "stopping",
  "send_failed",
  "send_unknown",
  "in_flight",
  "in_flight_elsewhere",
  "resend_failed",
  "read_failed",
  "internal_error"
] as const

type RefusalCode = (typeof refusalCodes)[number]

/** After these, the refused call itself may have sent the SMS. */
export const maySend: ReadonlySet<RefusalCode> = new Set([
  "send_unknown",
  "in_flight",
  "internal_error"
])

/** Of the SMS of a call together. */
export type Outcome = SendOutcome | "partly-sent"

/** How many SMS a call has, of how many an earlier one went out, and of how many that is in doubt. */
export interface Counts {
  readonly total: number
  readonly sent: number
  /** Of how many of the sent ones only a person says so. */
  readonly decided: number
  readonly inDoubt: number
}

/** Said after a count of SMS that were sent. */
export const decidedOf = (decided: number): string =>
  decided === 0 ? "" : ` (${decided} as a person decided)`

/** What is said of the SMS of a call that sent none. */
const knownSentence = (outcome: Outcome, { decided, inDoubt, sent, total }: Counts): string => {
  if (total > 1) {
    return sentences(
      sent > 0 ? `Earlier calls sent ${sent} of its ${total} SMS${decidedOf(decided)}.` : "",
      outcome === "unknown"
        ? `It is still unknown of ${inDoubt} of its ${total} SMS whether an earlier send went out: do not send these again without the person.`
        : ""
    )
  }
  if (outcome === "sent") {
    return decided === 0
      ? "The service accepted the same SMS from an earlier call."
      : "The person who runs the server decided that the same SMS from an earlier call went out."
  }
  return outcome === "unknown"
    ? "It is still unknown whether an earlier send of the same SMS went out: do not send it again without the person."
    : ""
}

type Details = Readonly<Record<string, string | number | ReadonlyArray<number> | undefined>>

/**
 * A refusal in our own words: no text of the service is in `what` or `next`.
 *
 * The first sentence of `what` says what happened; `next` says what to do. `code` and `details` say
 * the same to programs.
 */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly code: RefusalCode
  readonly what: string
  /** What is wrong, without what it means for the call: for a row of several. */
  readonly problem?: string | undefined
  readonly next: string
  /** What is known of the SMS. Absent if the call did nothing: then it depends on earlier sends. */
  readonly outcome?: Outcome | undefined
  readonly details?: Details | undefined
  /** Whether all other SMS of the call would fail, too. */
  readonly concernsAll?: boolean | undefined
}> {
  override get message(): string {
    return `${this.what} ${this.next}`
  }

  /** The same refusal, with what else is so, and what to do about that. */
  with(what: string, next: string): Refusal {
    const { code, concernsAll, details, outcome, problem } = this
    const said = { what: sentences(this.what, what), next: sentences(this.next, next) }
    return new Refusal({ code, concernsAll, details, outcome, problem, ...said })
  }

  /** The same refusal of so many SMS, of which so much is known. */
  about(known: Outcome, counts: Counts, ids: Details = {}): Refusal {
    const { code, concernsAll, problem, what } = this
    if (this.outcome !== undefined) return this
    // The call that used the approval may have sent it, and it may no longer count as a repetition.
    const isInDoubt = code === "approval_used" && known !== "sent"
    const outcome = isInDoubt ? "unknown" : known
    const inDoubt = isInDoubt ? counts.total - counts.sent : counts.inDoubt
    const next = sentences(this.next, knownSentence(outcome, { ...counts, inDoubt }))
    const details = { ...ids, ...this.details }
    return new Refusal({ code, concernsAll, details, next, outcome, problem, what })
  }
}

/** Says who can raise a limit, and with which option. */
export const operatorAllows = (option: Name): string =>
  `The person who runs the server can allow more with ${bothNames(option)}.`

/** A model must not choose who is left out. */
export const smallerCall = "A smaller call is allowed if the person chooses who gets it."

/** The texts of a refusal. It tells of its call alone: an earlier one may have sent the same SMS. */
export const nothingSent = (problem: string) => ({
  what: `This call sent nothing: ${problem}.`,
  problem
})

export const readFailedInside = new Refusal({
  code: "internal_error",
  what: "Nothing was read: the tool failed inside this server.",
  next: "Tell the person; the log of the server names the tool."
})

export const sendFailedInside = new Refusal({
  code: "internal_error",
  outcome: "unknown",
  what: "It is unknown whether the SMS was sent: the tool failed inside this server.",
  next: "Do not send it again. Tell the person; the log of the server may say more.",
  concernsAll: true
})
