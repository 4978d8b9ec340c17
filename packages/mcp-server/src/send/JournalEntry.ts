/**
 * How a send is written to the journal, and read from it.
 */
import type {
  ClaimRequest,
  KnownSend,
  Limit,
  Obstacle,
  SendSettlement,
  SentSms
} from "@messaging-topup/journal"
import * as Duration from "effect/Duration"
import type { PlannedSend, SendKind, SendLimit, SentCopy } from "./PlannedSend.ts"
import { notSentElsewhere } from "./Refusal.ts"
import type { EndedSend } from "./SendEnd.ts"

/** For each kind of send, the outcome of an earlier send that does not block it. */
const overByKind = {
  first: "nothing",
  again: "nothing",
  resend: "unknown",
  copy: "sent"
} as const satisfies Readonly<Record<SendKind, ClaimRequest["over"]>>

const periods = { messages: Duration.hours(1), segments: Duration.days(1) } as const

export const limitsOf = ({
  limits,
  messages = 1,
  segments
}: Pick<PlannedSend, "limits" | "messages" | "segments">): ReadonlyArray<Limit> =>
  limits.map(({ counts, limit, scope: whose }) => ({
    scope: `${counts} of ${whose}`,
    amount: counts === "messages" ? messages : segments,
    max: limit,
    per: periods[counts]
  }))

export const claimRequestOf = (
  send: PlannedSend,
  times: Pick<ClaimRequest, "holdSent" | "holdUnknown" | "staleAfter">
): ClaimRequest => ({
  key: send.key,
  principal: send.principal,
  fields: {},
  limits: limitsOf(send),
  ...times,
  over: overByKind[send.kind],
  ...(send.approval === undefined ? {} : { approval: send.approval })
})

export const limitOf = (
  send: PlannedSend,
  request: ClaimRequest,
  limit: Limit
): SendLimit | undefined =>
  send.limits[request.limits.findIndex(({ scope }) => scope === limit.scope)]

export const sentCopyOf = (
  { at, messages, until }: SentSms,
  { recipient }: PlannedSend
): SentCopy => ({
  outcome: "sent",
  results: messages.map((message) => ({ recipient, ...message })),
  atMillis: at,
  ...(until === undefined ? {} : { untilMillis: until })
})

/** Returns how the earlier send ended that blocks this one, if that is what blocks it. */
export const endOfObstacle = (send: PlannedSend, found: Obstacle): EndedSend | undefined => {
  switch (found._tag) {
    case "Sent":
      return sentCopyOf(found, send)
    case "Unknown":
      return {
        outcome: "unknown",
        ...(found.first === undefined ? {} : { first: sentCopyOf(found.first, send) })
      }
    case "ApprovalUsed":
    case "Conflict":
    case "InFlight":
    case "LimitReached":
    case "Rejected":
      return undefined
  }
}

/** A send that is no longer in the journal did not go out. */
export const endOfKnownSend = (send: PlannedSend, known: KnownSend | undefined): EndedSend => {
  switch (known?.state) {
    case undefined:
    case "resend":
      return { outcome: "not-sent", refusal: notSentElsewhere }
    case "sent":
      return sentCopyOf({ at: known.claimedAt, messages: known.messages }, send)
    case "in-flight":
    case "rejected":
    case "unknown":
      return { outcome: "unknown" }
  }
}

export const settlementOf = (ended: EndedSend): SendSettlement =>
  ended.outcome === "sent"
    ? { outcome: "sent", messages: ended.results }
    : { outcome: ended.outcome }
