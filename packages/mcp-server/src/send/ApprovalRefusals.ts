/**
 * The texts that say why what needs a person's approval did not go out. They fit one SMS and many.
 */
import { Refusal } from "./Refusal.ts"
import { bothNames } from "../Options.ts"

const anotherClient = "Tell the person: a client that supports elicitation can ask."

const operator = "The person who runs the server can set --confirm off with --allow-recipients"

/** A first send with `--confirm require`. */
export const confirmationRequired = new Refusal({
  code: "confirmation_unavailable",
  what: "This call sent nothing: this server sends only what a person approved, and this client cannot ask one.",
  next: `${anotherClient} ${operator}, or --confirm auto.`
})

/** A call with `again`. */
export const againUnavailable = new Refusal({
  code: "confirmation_unavailable",
  what: "This call sent nothing: to send an SMS again needs the approval of a person, and this client cannot ask one.",
  next: `${anotherClient} When the duplicate window is over, the same call without again sends what went out; the person who runs the server sets it with ${bothNames("duplicate-window")}, and decides about an unknown one with messaging-topup-mcp resolve.`
})

const many = `Do not send them one by one. ${anotherClient} ${operator}, or use the command messaging-topup-campaign.`

export const batchUnavailable = new Refusal({
  code: "confirmation_unavailable",
  what: "This call sent nothing: a batch needs the approval of a person, and this client cannot ask one.",
  next: many
})

/** Single sends to many recipients are a batch that nobody approved. */
export const tooManyUnasked = (max: number): Refusal =>
  new Refusal({
    code: "confirmation_unavailable",
    what: `The SMS was not sent: to more than ${max} recipients in an hour needs the approval of a person, and this client cannot ask one.`,
    next: many
  })

const notUnlessAsked = "Do not call again unless the person asks for it."

const sentNothing = (code: Refusal["code"], why: string, next: string): Refusal =>
  new Refusal({ code, what: `This call sent nothing: ${why}.`, next })

export const confirmationDeclined = sentNothing(
  "confirmation_declined",
  "the person declined",
  notUnlessAsked
)

export const confirmationCancelled = sentNothing(
  "confirmation_cancelled",
  "the person closed the question without a decision",
  "Ask the person what to do."
)

/**
 * It does not name the option that turns the question off: a model that can start programs could start
 * the server with it. The log and the documentation name it.
 */
export const confirmationUnasked = sentNothing(
  "confirmation_unasked",
  "nobody was asked, because the client declined by itself, faster than a person can read",
  "Do not call again: tell the person that this client asks nobody, and that nothing was sent."
)

/** It does not repeat the client's error text, which could contain anything. */
export const confirmationFailed = sentNothing(
  "confirmation_failed",
  "the client did not show the question to a person",
  "Tell the person; the log of the client may say why."
)

const asksAgain = "The same call asks the person again."

export const approvalExpired = sentNothing(
  "approval_expired",
  "nobody decided in time",
  `Ask the person what to do. ${asksAgain}`
)

export const approvalInvalid = sentNothing(
  "approval_invalid",
  "the approval is not one that this server asked for",
  asksAgain
)

export const approvalMismatch = sentNothing(
  "approval_mismatch",
  "the approval was given for other arguments",
  asksAgain
)

export const approvalUsed = sentNothing(
  "approval_used",
  "its approval was used before, and the call that used it may have sent what was approved",
  notUnlessAsked
)

/** The person declined a question that they had approved before. That approval may have sent the SMS. */
export const declinedAfterApproval = sentNothing(
  "approval_used",
  "the person declined. The question was approved before, and what was approved may have gone out then",
  "Tell the person, and do not call again unless they ask for it."
)

/** The approval belongs to a question that was decided before, by the person or by the client itself. */
export const declinedBefore = sentNothing(
  "confirmation_declined",
  "its question was decided before, without an approval",
  notUnlessAsked
)
