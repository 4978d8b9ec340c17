/**
 * What a server must do with a send, as far as a caller, a person and the service can see it: a model of the
 * rule, without journal, claims or transports.
 */
import * as Duration from "effect/Duration"

type Outcome = "sent" | "not-sent" | "unknown"

/** What is stored of a send that was not simply forgotten. */
interface Entry {
  state: Outcome | "rejected" | "closed" | "freed"
  /** Until when it counts, in milliseconds since 1970. */
  readonly until: number
}

/** How the service treats a request, and what that leaves. */
export const faults = {
  accepts: "sent",
  "accepts, unreadably": "sent",
  resets: "unknown",
  "fails with 500": "unknown",
  "refuses the request": "rejected",
  "refuses the account": "nothing",
  "is busy": "nothing"
} as const satisfies Readonly<Record<string, Entry["state"] | "nothing">>

export type Fault = keyof typeof faults

export type Confirm = "auto" | "require" | "off"

/** What comes back for a question: a person's word, or that of a client that asks nobody. */
export const decisions = {
  approve: { action: "accept", after: "400 millis" },
  decline: { action: "decline", after: "400 millis" },
  dismiss: { action: "cancel", after: "400 millis" },
  "approve late": { action: "accept", after: "11 minutes" },
  "accept unasked": { action: "accept", after: "0 millis" },
  "decline unasked": { action: "decline", after: "0 millis" }
} as const satisfies Readonly<
  Record<string, { readonly action: string; readonly after: Duration.Input }>
>

export type Decision = keyof typeof decisions

type Kind = "first" | "again" | "resend" | "copy"

/** How one SMS of a call ends; a code says why it was not sent by this call. */
export interface End {
  readonly outcome: Outcome
  readonly code?: string
}

/** What a call does, before a person was asked or after. */
export type Step =
  | { readonly _tag: "Question"; readonly kind: Kind; readonly rows: ReadonlySet<number> }
  /** The whole call is refused. */
  | { readonly _tag: "Refused"; readonly code: string; readonly outcome: Outcome }
  /** `posts` are the places of those that this call sends. */
  | {
      readonly _tag: "Ended"
      readonly ends: ReadonlyArray<End>
      readonly posts: ReadonlyArray<number>
    }

export interface Call {
  /** What makes each SMS the same SMS. */
  readonly keys: ReadonlyArray<string>
  readonly again: boolean
  readonly canBeAsked: boolean
  readonly faults: ReadonlyArray<Fault>
}

/** A question, and what was done with it. */
export interface Question {
  readonly call: Call
  readonly kind: Kind
  readonly rows: ReadonlySet<number>
  readonly askedAt: number
  used?: "approved" | "refused"
}

const duplicateWindow = Duration.toMillis("10 minutes")
const day = Duration.toMillis("1 day")
/** A claim can be in flight so long: ten seconds to start, the time-out, and five to be written. */
const longestClaim = Duration.toMillis("45 seconds")
const confirmTimeout = Duration.toMillis("10 minutes")
const shortestReading = 300

const unknown = (code: string): End => ({ outcome: "unknown", code })

const notSent = (code: string) => ({ outcome: "not-sent", code }) as const

/** Why nothing was sent. An approval that was used before may have sent it. */
const endOf = (code: string) =>
  code === "approval_used" ? ({ outcome: "unknown", code } as const) : notSent(code)

const refused = (code: string): Step => ({ _tag: "Refused", code, outcome: endOf(code).outcome })

const usedBefore = (used: "approved" | "refused") =>
  used === "approved" ? "approval_used" : "confirmation_declined"

export class Model {
  /** The sends of each key, in their order. */
  readonly #sends = new Map<string, Array<Entry>>()
  readonly questions: Array<Question> = []
  readonly #confirm: Confirm

  constructor(confirm: Confirm) {
    this.#confirm = confirm
  }

  #of(key: string): Array<Entry> {
    const known = this.#sends.get(key) ?? []
    this.#sends.set(key, known)
    return known
  }

  #standing(key: string, now: number) {
    const all = this.#of(key)
    const counting = all.filter(({ until }) => until > now)
    const has = (state: Entry["state"]) => counting.some((entry) => entry.state === state)
    const sentAt = all.findLastIndex((entry) => entry.state === "sent" && entry.until > now)
    const state = (["sent", "unknown", "closed"] as const).find(has) ?? "free"
    const isUnresolved = all.some((entry) => entry.state === "unknown")
    // A copy after the one that was sent, of which nobody knows whether it went out.
    return { state, isUnresolved, isCopyUnknown: isUnresolved && sentAt < all.length - 1 }
  }

  #kindOf({ again, keys }: Call, now: number): Kind {
    const [only = "", ...others] = keys
    if (!again) return "first"
    if (others.length > 0) return "resend"
    const { isUnresolved, state } = this.#standing(only, now)
    if (state === "sent") return "copy"
    return isUnresolved ? "resend" : "again"
  }

  /** How an SMS ends that this call must not send. */
  #heldBack(key: string, kind: Kind, isOne: boolean, now: number): End | undefined {
    const { isCopyUnknown, isUnresolved, state } = this.#standing(key, now)
    if (state === "sent") {
      if (kind === "copy") return undefined
      return isCopyUnknown ? unknown("unknown_not_resent") : { outcome: "sent" }
    }
    const isHeld = isUnresolved && (state === "unknown" || !isOne)
    if (isHeld && kind !== "resend" && kind !== "copy") return unknown("unknown_not_resent")
    return state === "closed" ? notSent("closed_by_person") : undefined
  }

  #held({ keys }: Call, kind: Kind, now: number) {
    return keys.map((key) => this.#heldBack(key, kind, keys.length === 1, now))
  }

  /** The open ones end with the refusal; the call is refused if all are open. */
  #refuse(held: ReadonlyArray<End | undefined>, code: string): Step {
    return held.every((end) => end === undefined)
      ? refused(code)
      : { _tag: "Ended", ends: held.map((end) => end ?? endOf(code)), posts: [] }
  }

  /** Sends those that nothing holds back. */
  #send({ faults: given, keys }: Call, held: ReadonlyArray<End | undefined>, now: number): Step {
    const posts = held.flatMap((end, at) => (end === undefined ? [at] : []))
    const ends = held.map((end, at) => {
      if (end !== undefined) return end
      const key = keys[at] ?? ""
      const { isUnresolved, state } = this.#standing(key, now)
      const left = faults[given[at] ?? "accepts"]
      const counts = keys.length === 1 && left === "sent" ? duplicateWindow : day
      const until = now + counts + (left === "sent" ? 0 : longestClaim)
      if (left !== "nothing") this.#of(key).push({ state: left, until })
      if (left === "sent") return { outcome: left }
      if (left === "unknown") return unknown("send_unknown")
      return isUnresolved && state !== "sent" ? unknown("resend_failed") : notSent("send_failed")
    })
    return { _tag: "Ended", ends, posts }
  }

  /** A call without a decision. */
  call(call: Call, now: number): Step {
    const kind = this.#kindOf(call, now)
    const held = this.#held(call, kind, now)
    const rows = new Set(held.flatMap((end, at) => (end === undefined ? [at] : [])))
    if (rows.size === 0) return this.#send(call, held, now)
    if (kind === "first" && this.#confirm === "off") return this.#send(call, held, now)
    if (call.canBeAsked) {
      this.questions.push({ call, kind, rows, askedAt: now })
      return { _tag: "Question", kind, rows }
    }
    const isAllowed = kind === "first" && call.keys.length === 1 && this.#confirm === "auto"
    return isAllowed ? this.#send(call, held, now) : this.#refuse(held, "confirmation_unavailable")
  }

  /** The same call with a decision on a question. */
  decide(question: Question, action: string, now: number): Step {
    const { askedAt, call, kind, rows, used } = question
    const isOne = call.keys.length === 1
    const held = this.#held(call, isOne ? kind : this.#kindOf(call, now), now)
    const millis = now - askedAt
    if (millis > confirmTimeout) return refused("confirmation_cancelled")
    const isUnasked = millis < shortestReading
    if (action !== "accept" || isUnasked) {
      question.used ??= "refused"
      if (used === "approved") return this.#refuseDecided(held, isOne, "approval_used")
      if (action === "accept") return this.call({ ...call, canBeAsked: false }, now)
      const said = action === "decline" ? "confirmation_declined" : "confirmation_cancelled"
      return this.#refuseDecided(held, isOne, isUnasked ? "confirmation_unasked" : said)
    }
    const open = held.flatMap((end, at) => (end === undefined ? [at] : []))
    if (open.length === 0) return this.#send(call, held, now)
    if (!open.every((at) => rows.has(at))) return this.#refuse(held, "approval_invalid")
    if (used !== undefined) return this.#refuse(held, usedBefore(used))
    question.used = "approved"
    return this.#send(call, held, now)
  }

  /** Of one SMS, a person's refusal is the end of the call, whatever else is known. */
  #refuseDecided(held: ReadonlyArray<End | undefined>, isOne: boolean, code: string): Step {
    return isOne ? refused(code) : this.#refuse(held, code)
  }

  /** Whether a person can decide about a send of the key. */
  isUnresolved(key: string): boolean {
    return this.#of(key).some(({ state }) => state === "unknown")
  }

  /** The operator decides about the newest one. */
  resolve(key: string, word: "sent" | "not-sent" | "resend"): void {
    const entry = this.#of(key).findLast(({ state }) => state === "unknown")
    if (entry !== undefined) {
      entry.state = ({ sent: "sent", "not-sent": "closed", resend: "freed" } as const)[word]
    }
  }
}
