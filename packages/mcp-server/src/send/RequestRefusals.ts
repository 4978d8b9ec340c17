/**
 * The refusals of the guards that look at one SMS alone.
 */
import { bothNames, type Name } from "../Options.ts"
import { operatorAllows, Refusal } from "./Refusal.ts"
import type { Setting } from "./Rules.ts"

export const recipientNotAllowed = (option: Name): Refusal =>
  new Refusal({
    code: "recipient_not_allowed",
    what: "The SMS was not sent: the recipient is not on the list of allowed recipients of this server.",
    next: `Do not try another spelling or number. The person who runs the server can allow it with ${bothNames(option)}.`,
    option
  })

export const recipientUnclear = new Refusal({
  code: "recipient_unclear",
  what: "The SMS was not sent: its recipient names no number, or may name several.",
  next: "Call with one number in digits, without blanks, as the person gave it."
})

export const tooManyRecipients = (recipients: number): Refusal =>
  new Refusal({
    code: "too_many_recipients",
    what: `The SMS was not sent: its recipient names ${recipients} numbers, and a call sends to one.`,
    next: "Call once for each number that the person asked for.",
    details: { recipients }
  })

export const senderNotAllowed = new Refusal({
  code: "sender_not_allowed",
  what: "The SMS was not sent: this server does not allow its sender_id.",
  next: `Do not try another one. ${operatorAllows("allow-sender-ids")}`,
  option: "allow-sender-ids"
})

export const webhookNotAllowed = new Refusal({
  code: "webhook_not_allowed",
  what: "The SMS was not sent: this server does not allow its webhook_url.",
  next: `Leave it out, if the person agrees. ${operatorAllows("allow-webhook-hosts")}`,
  option: "allow-webhook-hosts"
})

export const tooManySegments = (segments: number, { option, value }: Setting<number>): Refusal =>
  new Refusal({
    code: "too_many_segments",
    what: `The SMS was not sent: its text takes ${segments} segments, and this server allows ${value}.`,
    next: `Shorten the text with the person. ${operatorAllows(option)}`,
    option,
    details: { segments, max_segments: value }
  })
