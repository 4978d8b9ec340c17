/**
 * The outcome of a send, and how it maps to the journal.
 */
import type {
  SentSms,
  ClaimRequest,
  KnownSend,
  Limit,
  Obstacle,
  SendSettlement
} from "@messaging-topup/journal"
import { notSentElsewhere, type Refusal } from "../results/Refusal.ts"
import type { Claim, SendKind, SendLimit, SentOutcome } from "./Claim.ts"

/** `Sent` and `Unknown` are stored. A send that did not go out leaves nothing behind. */
export type Outcome =
  | SentOutcome
  | {
      readonly _tag: "Unknown"
      /** The first copy, if this was a second one. It certainly went out. */
      readonly first?: SentOutcome
    }
  | { readonly _tag: "NotSent"; readonly refusal: Refusal }

/** For each kind of send, the outcome of an earlier send that does not block it. */
export const overByKind = {
  first: "nothing",
  again: "nothing",
  resend: "unknown",
  copy: "sent"
} as const satisfies Readonly<Record<SendKind, ClaimRequest["over"]>>

export const sentOf = ({ at, messages, until }: SentSms, { recipient }: Claim): SentOutcome => ({
  _tag: "Sent",
  results: messages.map((message) => ({ recipient, ...message })),
  readable: messages.length > 0,
  atMillis: at,
  ...(until === undefined ? {} : { untilMillis: until })
})

export const limitOf = (claim: Claim, request: ClaimRequest, limit: Limit): SendLimit | undefined =>
  claim.limits[request.limits.findIndex(({ scope }) => scope === limit.scope)]

/** Returns the outcome of the earlier send that blocks this one, if that is what blocks it. */
export const outcomeOfObstacle = (
  claim: Claim,
  found: Obstacle | undefined
): Outcome | undefined => {
  switch (found?._tag) {
    case "Sent":
      return sentOf(found, claim)
    case "Unknown":
      return {
        _tag: "Unknown",
        ...(found.first === undefined ? {} : { first: sentOf(found.first, claim) })
      }
    case undefined:
    case "ApprovalUsed":
    case "Conflict":
    case "InFlight":
    case "LimitReached":
    case "Rejected":
      return undefined
  }
}

export const unknown: Outcome = { _tag: "Unknown" }

/** A send that is no longer in the journal did not go out. */
export const outcomeOfSend = (claim: Claim, send: KnownSend | undefined): Outcome => {
  switch (send?.state) {
    case undefined:
    case "resend":
      return { _tag: "NotSent", refusal: notSentElsewhere }
    case "sent":
      return sentOf({ at: send.claimedAt, messages: send.messages }, claim)
    case "in-flight":
    case "rejected":
    case "unknown":
      return unknown
  }
}

export const settlementOf = (outcome: Outcome): SendSettlement => {
  switch (outcome._tag) {
    case "Sent":
      return { outcome: "sent", messages: outcome.results }
    case "Unknown":
      return { outcome: "unknown" }
    case "NotSent":
      return { outcome: "not-sent" }
  }
}
