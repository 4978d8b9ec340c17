/**
 * The texts that say why a send that needs a person's approval did not go out.
 */
import { Refusal } from "./Refusal.ts"
import { bothNames, type Name } from "../Options.ts"
import type { SendKind } from "./PlannedSend.ts"
import { sentences } from "./Text.ts"

interface Unavailable {
  readonly kind: SendKind
  /** Whether every send needs a person's approval. */
  readonly isRequired: boolean
  /** The option that decides whether a person is asked. */
  readonly option: Name
}

const unavailable = {
  first: "this server sends only what a person approved",
  resend:
    "an earlier send of it has an unknown outcome, a second one needs the approval of a person",
  copy: "a second copy needs the approval of a person",
  again: "a second copy needs the approval of a person"
} as const satisfies Readonly<Record<SendKind, string>>

export const anotherClient = "Tell the person: a client that supports elicitation can ask."

const alternative = ({ isRequired, kind, option }: Unavailable): string => {
  if (kind === "first") {
    return option === "policy"
      ? `The person who runs the server decides it with ${bothNames(option)}.`
      : "The person who runs the server can choose --confirm auto."
  }
  if (isRequired || kind === "resend") return ""
  return kind === "again"
    ? "Nothing is known of a first copy: without send_again it is sent like any other."
    : `When the duplicate window is over, the same call without send_again sends it; the person who runs the server sets the window with ${bothNames("duplicate-window")}.`
}

export const confirmationUnavailable = (why: Unavailable): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    what: `The SMS was not sent: ${unavailable[why.kind]}, and this client cannot ask one.`,
    next: sentences(anotherClient, alternative(why))
  })

// The texts below fit every question, whether it is about one SMS or several.

const notUnlessAsked = "Do not call again unless the person asks for it."

export const confirmationDeclined = new Refusal({
  code: "confirmation_declined",
  what: "This call sent nothing: the person declined.",
  next: notUnlessAsked
})

export const confirmationCancelled = new Refusal({
  code: "confirmation_cancelled",
  what: "This call sent nothing: the person closed the question without a decision.",
  next: "Ask the person what to do."
})

/**
 * It does not name the option that turns the question off: a model that can start programs could start
 * the server with it. The log and the documentation name it.
 */
export const confirmationUnasked = new Refusal({
  code: "confirmation_unasked",
  what: "This call sent nothing: nobody was asked, because the client declined by itself, faster than a person can read.",
  next: "Do not call again: tell the person that this client asks nobody, and that nothing was sent."
})

export const confirmationExpired = new Refusal({
  code: "approval_expired",
  what: "This call sent nothing: nobody decided in time.",
  next: "Ask the person what to do."
})

/** It does not repeat the client's error text, which could contain anything. */
export const confirmationFailed = new Refusal({
  code: "confirmation_failed",
  what: "This call sent nothing: the client did not show the question to a person.",
  next: "Tell the person; the log of the client may say why."
})

const approvalRefused = (code: Refusal["code"], why: string) =>
  new Refusal({
    code,
    what: `This call sent nothing: ${why}`,
    next: "Call again without a state, so that the person is asked again."
  })

export const approvalExpired = approvalRefused("approval_expired", "the approval came too late.")

export const approvalInvalid = approvalRefused(
  "approval_invalid",
  "the approval is not one that this server asked for."
)

export const approvalMismatch = approvalRefused(
  "approval_mismatch",
  "the approval was given for other arguments."
)

export const approvalUsed = new Refusal({
  code: "approval_used",
  what: "This call sent nothing: its approval was used before, and the call that used it may have sent what was approved.",
  next: notUnlessAsked
})

/** The person declined a question that they had approved before. That approval may have sent the SMS. */
export const declinedAfterApproval = new Refusal({
  code: "approval_used",
  what: "This call sent nothing: the person declined. The question was approved before, and what was approved may have gone out then.",
  next: "Tell the person, and do not call again unless they ask for it."
})

/** The approval belongs to a question that was decided before, by the person or by the client itself. */
export const declinedBefore = new Refusal({
  code: "confirmation_declined",
  what: "This call sent nothing: its question was decided before, without an approval.",
  next: notUnlessAsked
})
