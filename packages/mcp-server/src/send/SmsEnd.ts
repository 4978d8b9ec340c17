/**
 * How an SMS of a call ended: what its caller is told. Core decides whether it went out, and the journal
 * what an earlier send means.
 */
import type { SendResult } from "@messaging-topup/core"
import type { KnownSend, Standing } from "@messaging-topup/journal"
import type { ApprovedBy } from "./Approval.ts"
import type { Refusal } from "./Refusal.ts"
import { closedByPerson, unknownNotResent } from "./Refusals.ts"

/** An SMS that went out: by this call, or by an earlier one. */
export interface Sent {
  readonly _tag: "Sent"
  /** Empty if the response could not be read. */
  readonly results: ReadonlyArray<SendResult>
  /** Set if this call sent the SMS. */
  readonly approvedBy?: ApprovedBy
  /** Set if an earlier call sent the SMS, so that this call sent nothing. In milliseconds since 1970. */
  readonly earlier?: { readonly at: number; readonly until: number | undefined }
}

export type SmsEnd = Sent | { readonly _tag: "Failed"; readonly refusal: Refusal }

export const failed = (refusal: Refusal): SmsEnd => ({ _tag: "Failed", refusal })

/** The journal stores no numbers, so results take them from the request. */
export const resultsOf = (recipient: string, send: KnownSend | undefined) =>
  (send?.messages ?? []).map((message) => ({ recipient, ...message }))

const sentAt = ({ claimedAt }: KnownSend): number => claimedAt

/** The copy that certainly went out, if the key has one. */
export const firstOf = (recipient: string, { send, state }: Standing) =>
  state === "sent" && send !== undefined
    ? { at: sentAt(send), results: resultsOf(recipient, send) }
    : undefined

/** Returns how an SMS ended that this call may not send as its key stands; undefined if it may. */
export const endOfStanding = (
  recipient: string,
  standing: Standing,
  canBeAsked: boolean
): SmsEnd | undefined => {
  const { isUnresolved, send, state, turn } = standing
  switch (state) {
    case "sent":
      // An unknown send after the one that went out was a second copy.
      return send === undefined || (isUnresolved && send.turn + 1 < turn)
        ? failed(unknownNotResent(firstOf(recipient, standing), canBeAsked))
        : {
            _tag: "Sent",
            results: resultsOf(recipient, send),
            earlier: { at: sentAt(send), until: send.countsUntil }
          }
    case "unknown":
      return failed(unknownNotResent(undefined, canBeAsked))
    case "closed":
      return failed(closedByPerson(send ?? {}))
    case "free":
    case "rejected":
    case "in-flight":
      return undefined
  }
}

/** How a call ends that waited for this end of another call; undefined if the SMS did not go out. */
export const asEarlier = (end: SmsEnd, at: number, canBeAsked: boolean): SmsEnd | undefined => {
  if (end._tag === "Sent") {
    return { _tag: "Sent", results: end.results, earlier: { at, until: undefined } }
  }
  return end.refusal.outcome === "unknown"
    ? failed(unknownNotResent(undefined, canBeAsked))
    : undefined
}
