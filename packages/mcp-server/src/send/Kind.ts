/**
 * What a call wants to send over: nothing, what is unknown, or what was sent. And which of its SMS it may send
 * as the journal knows them.
 */
import type { Standing } from "@messaging-topup/journal"
import type { Subject } from "./Approval.ts"
import type { PlannedSms } from "./Plan.ts"
import { endOfStanding, type SmsEnd } from "./SmsEnd.ts"

/** The kind of a send. Every kind but `first` always needs a person's approval. */
export type SendKind =
  | "first"
  /** A second send of what may have gone out. */
  | "resend"
  /** A second copy of an SMS that went out. */
  | "copy"
  /** A second send was asked for, and no first one is remembered. */
  | "again"

export const kinds: ReadonlyArray<SendKind> = ["first", "resend", "copy", "again"]

/** An SMS, and how its key stands. */
export interface KnownSms {
  readonly sms: PlannedSms
  readonly standing: Standing
}

/** Of several SMS, none that is known as sent is sent again. */
export const kindOf = (all: ReadonlyArray<KnownSms>, again: boolean): SendKind => {
  const [only, ...others] = all
  if (!again || only === undefined) return "first"
  if (others.length > 0) return "resend"
  const { isUnresolved, state } = only.standing
  if (state === "sent") return "copy"
  return state === "unknown" || isUnresolved ? "resend" : "again"
}

const overByKind = {
  first: "nothing",
  again: "nothing",
  resend: "unknown",
  copy: "sent"
} as const satisfies Readonly<Record<SendKind, string>>

/** What a claim may send over. Of several SMS, only what is unknown is sent again. */
export const overOf = (kind: SendKind, { isUnresolved, state }: Standing) =>
  state === "free" && !isUnresolved ? "nothing" : overByKind[kind]

/** What a person approves, in every detail. */
export const subjectOf = (open: ReadonlyArray<KnownSms>, kind: SendKind): Subject => [
  kind,
  ...open.flatMap(({ sms: { request } }) => [
    request.recipient,
    request.message,
    request.sender_id ?? null,
    request.scheduled_time ?? null
  ])
]

/** The SMS of a call: those that it may send, those that another call is sending, and how the others ended. */
export interface Sorted {
  readonly kind: SendKind
  readonly open: ReadonlyArray<KnownSms>
  readonly elsewhere: ReadonlyArray<PlannedSms>
  readonly ends: Map<number, SmsEnd>
}

/** Returns how an SMS ended that is not sent; undefined if it is open. */
const endOf = (
  { sms, standing }: KnownSms,
  kind: SendKind,
  isOne: boolean,
  canBeAsked: boolean
): SmsEnd | undefined => {
  const { isUnresolved, state } = standing
  const over = overByKind[kind]
  if (over === state || (over === "sent" && state === "unknown")) return undefined
  // Of several, nothing unknown is sent again unasked, however long ago.
  const isHeld = !isOne && over === "nothing" && isUnresolved && state !== "sent"
  return endOfStanding(
    sms.request.recipient,
    isHeld ? { ...standing, state: "unknown" } : standing,
    canBeAsked
  )
}

export const sort = (all: ReadonlyArray<KnownSms>, kind: SendKind, canBeAsked: boolean): Sorted => {
  const open: Array<KnownSms> = []
  const elsewhere: Array<PlannedSms> = []
  const ends = new Map<number, SmsEnd>()
  for (const each of all) {
    const { sms, standing } = each
    if (standing.state === "in-flight") {
      elsewhere.push(sms)
      continue
    }
    const end = endOf(each, kind, all.length === 1, canBeAsked)
    if (end === undefined) open.push(each)
    else ends.set(sms.number, end)
  }
  return { kind, open, elsewhere, ends }
}
