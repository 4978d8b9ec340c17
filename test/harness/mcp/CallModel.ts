/**
 * What a server must do with a send, as far as a caller, a person and the service can see it: a model of the
 * rule, without journal, claims or transports.
 */
import type { Decision as Resolution } from "@messaging-topup/journal"
import * as Duration from "effect/Duration"

type Outcome = "sent" | "not-sent" | "unknown"

/** What is stored of a send that was not simply forgotten. */
interface Entry {
  state: Outcome | "rejected" | "closed" | "freed"
  /** When it was sent, or a person said so, in milliseconds since 1970. */
  at: number
}

/** How a key stands for a call. An approval covers `attempt` and `state`. */
interface Standing {
  readonly state: "sent" | "unknown" | "closed" | "rejected" | "free"
  readonly attempt: number
  readonly isUnresolved: boolean
  readonly wasSent: boolean
  readonly outcome: Outcome
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

/** Whom the operator listed: nobody, everyone by a prefix, or each number. */
export type List = "none" | "prefix" | "each"

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

/** How one SMS of a call ends; a code says why it was not sent by this call. */
export interface End {
  readonly outcome: Outcome
  readonly code?: string
  /** Whether it has the id of its newest unknown send, by which the operator decides. */
  readonly hasId?: boolean
}

/** What a call does, before a person was asked or after. */
export type Step =
  | { readonly _tag: "Question"; readonly rows: ReadonlySet<number> }
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
  /** By their places, as they stood. */
  readonly rows: ReadonlyMap<number, Standing>
  readonly askedAt: number
  used?: "approved" | "refused"
}

const countsFor = Duration.toMillis("20 hours")
const confirmTimeout = Duration.toMillis("10 minutes")
const shortestReading = 300

const unknown = (code: string, hasId = true): End => ({ outcome: "unknown", code, hasId })

/** Whoever used an approval may have sent it, and it may no longer count. */
const inDoubt = (code: string, outcome: Outcome): Outcome =>
  code === "approval_used" && outcome === "not-sent" ? "unknown" : outcome

/** This call did nothing: the outcome is what is known of the SMS. */
const endOf = (code: string, { isUnresolved, outcome }: Standing): End => ({
  outcome: inDoubt(code, outcome),
  code,
  hasId: isUnresolved
})

/** Of several SMS, in doubt it is unknown. */
const refused = (code: string, standings: ReadonlyArray<Standing>): Step => {
  const has = (wanted: Outcome) => standings.some(({ outcome }) => outcome === wanted)
  const outcome = (["unknown", "not-sent"] as const).find(has) ?? "sent"
  return { _tag: "Refused", code, outcome: inDoubt(code, outcome) }
}

/** In whose words it is told that nobody can be asked about an SMS again. */
const whyAgain = ({ isUnresolved, wasSent }: Standing) =>
  isUnresolved ? "unknown" : wasSent ? "sent" : "never sent"

const usedBefore = (used: "approved" | "refused") =>
  used === "approved" ? "approval_used" : "confirmation_declined"

export class Model {
  /** The sends of each key, in their order. */
  readonly #sends = new Map<string, Array<Entry>>()
  readonly questions: Array<Question> = []
  readonly #confirm: Confirm
  /** Whether the operator listed the recipients. */
  readonly #list: List

  constructor(confirm: Confirm, list: List) {
    this.#confirm = confirm
    this.#list = list
  }

  #of(key: string): Array<Entry> {
    const known = this.#sends.get(key) ?? []
    this.#sends.set(key, known)
    return known
  }

  #standing(key: string, now: number): Standing {
    const all = this.#of(key)
    const lastFreed = Math.max(...all.map(({ at, state }) => (state === "freed" ? at : -1)))
    const counts = ({ at, state }: Entry) =>
      state === "sent" ? now - at < countsFor : state !== "closed" || at >= lastFreed
    const has = (state: Entry["state"]) =>
      all.some((entry) => entry.state === state && counts(entry))
    const speaking = (["sent", "unknown", "closed"] as const).find(has)
    const last = all.findLast(counts)?.state
    const state = speaking ?? (last === "rejected" ? last : "free")
    const isUnresolved = all.some((entry) => entry.state === "unknown")
    return {
      state,
      attempt: all.length,
      isUnresolved,
      wasSent: all.some((entry) => entry.state === "sent"),
      // Of several sends, one that went out says so; the others are told beside it.
      outcome: state === "sent" || state === "unknown" ? state : "not-sent"
    }
  }

  #standings({ keys }: Call, now: number): ReadonlyArray<Standing> {
    return keys.map((key) => this.#standing(key, now))
  }

  /** How an SMS ends that this call must not send. */
  #heldBack({ state }: Standing, again: boolean, isOne: boolean): End | undefined {
    switch (state) {
      case "sent":
        if (again && isOne) return undefined
        return { outcome: "sent" }
      case "unknown":
        return again ? undefined : unknown("unknown_not_resent")
      case "closed":
        return again && isOne ? undefined : { outcome: "not-sent", code: "closed_by_person" }
      case "free":
      case "rejected":
        return undefined
    }
  }

  #held(standings: ReadonlyArray<Standing>, again: boolean) {
    return standings.map((standing) => this.#heldBack(standing, again, standings.length === 1))
  }

  /** The open ones end with the refusal; the call is refused if all are open, and it has the same words for each. */
  #refuse(
    standings: ReadonlyArray<Standing>,
    held: ReadonlyArray<End | undefined>,
    code: string,
    words: ReadonlyArray<string> = []
  ): Step {
    return held.every((end) => end === undefined) && new Set(words).size < 2
      ? refused(code, standings)
      : {
          _tag: "Ended",
          ends: standings.map((standing, at) => held[at] ?? endOf(code, standing)),
          posts: []
        }
  }

  /** How an SMS ends whose approval was for another attempt or row; undefined if it was for this one. */
  #notApproved(standing: Standing, approved: Standing | undefined, isOne: boolean) {
    if (approved?.attempt === standing.attempt && approved.state === standing.state) {
      return undefined
    }
    return this.#heldBack(standing, false, isOne) ?? endOf("approval_invalid", standing)
  }

  /** Sends those that nothing holds back. */
  #send(
    { faults: given, keys }: Call,
    standings: ReadonlyArray<Standing>,
    held: ReadonlyArray<End | undefined>,
    now: number,
    approved?: ReadonlyMap<number, Standing>
  ): Step {
    const isOne = keys.length === 1
    const posts = new Array<number>()
    const ends = standings.map((standing, at): End => {
      const end = held[at] ?? (approved && this.#notApproved(standing, approved.get(at), isOne))
      if (end !== undefined) return end
      posts.push(at)
      const left = faults[given[at] ?? "accepts"]
      if (left !== "nothing") this.#of(keys[at] ?? "").push({ state: left, at: now })
      if (left === "sent") return { outcome: left }
      if (left === "unknown") return unknown("send_unknown")
      return endOf(standing.state === "unknown" ? "resend_failed" : "send_failed", standing)
    })
    return { _tag: "Ended", ends, posts }
  }

  /** A call without a decision. */
  call(call: Call, now: number): Step {
    const standings = this.#standings(call, now)
    const held = this.#held(standings, call.again)
    const open = standings.flatMap((standing, at) =>
      held[at] === undefined ? [[at, standing] as const] : []
    )
    const rows = new Map(open)
    if (rows.size === 0) return this.#send(call, standings, held, now)
    if (!call.again && this.#confirm === "off") return this.#send(call, standings, held, now)
    if (call.canBeAsked) {
      this.questions.push({ call, rows, askedAt: now })
      return { _tag: "Question", rows: new Set(rows.keys()) }
    }
    const isListed = call.keys.length === 1 ? this.#list !== "none" : this.#list === "each"
    const isAllowed = !call.again && isListed && this.#confirm === "auto"
    return isAllowed
      ? this.#send(call, standings, held, now)
      : this.#refuse(
          standings,
          held,
          "confirmation_unavailable",
          call.again ? standings.map(whyAgain) : []
        )
  }

  /** The same call with a decision on a question. */
  decide(question: Question, action: string, now: number): Step {
    const { askedAt, call, rows, used } = question
    const isOne = call.keys.length === 1
    const standings = this.#standings(call, now)
    const held = this.#held(standings, call.again)
    const millis = now - askedAt
    if (millis > confirmTimeout) {
      return this.#refuseDecided(standings, held, isOne, "confirmation_cancelled")
    }
    const isUnasked = millis < shortestReading
    if (action !== "accept" || isUnasked) {
      question.used ??= "refused"
      if (used === "approved") return this.#refuseDecided(standings, held, isOne, "approval_used")
      if (action === "accept") return this.call({ ...call, canBeAsked: false }, now)
      const said = action === "decline" ? "confirmation_declined" : "confirmation_cancelled"
      const code = isUnasked ? "confirmation_unasked" : said
      return this.#refuseDecided(standings, held, isOne, code)
    }
    const open = held.flatMap((end, at) => (end === undefined ? [at] : []))
    if (open.length === 0) return this.#send(call, standings, held, now)
    const notApproved = standings.map((standing, at) =>
      this.#notApproved(standing, rows.get(at), isOne)
    )
    // What stands in the way of an only SMS, other than what was approved, is told before its approval is redeemed.
    const [end] = notApproved
    if (isOne && end !== undefined) return { _tag: "Ended", ends: [end], posts: [] }
    if (used !== undefined) return this.#refuse(standings, held, usedBefore(used))
    if (open.every((at) => notApproved[at] !== undefined)) {
      return this.#refuse(standings, held, "approval_invalid")
    }
    question.used = "approved"
    return this.#send(call, standings, held, now, rows)
  }

  /** Of one SMS, a person's refusal is the end of the call, whatever else is known. */
  #refuseDecided(
    standings: ReadonlyArray<Standing>,
    held: ReadonlyArray<End | undefined>,
    isOne: boolean,
    code: string
  ): Step {
    return isOne ? refused(code, standings) : this.#refuse(standings, held, code)
  }

  /** Whether a person can decide about a send of the key. */
  isUnresolved(key: string): boolean {
    return this.#of(key).some(({ state }) => state === "unknown")
  }

  /** The operator decides about the newest one. */
  resolve(key: string, word: Resolution, now: number): void {
    const entry = this.#of(key).findLast(({ state }) => state === "unknown")
    if (entry !== undefined) {
      entry.at = now
      entry.state = ({ sent: "sent", "not-sent": "closed", resend: "freed" } as const)[word]
    }
  }
}
