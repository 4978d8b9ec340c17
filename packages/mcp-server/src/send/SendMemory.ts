/**
 * What the guards remember: sends, what they count, used approvals.
 *
 * The layer here keeps it in memory, so a restart forgets it and replicas do not share it. Another
 * layer can keep it elsewhere: every operation is one atomic step, and what is kept is plain data.
 */
import type { SendResult } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Refusal, SendKind } from "../Refusal.ts"
import type { Name } from "../settings/Options.ts"
import { visible } from "../Text.ts"
import { type Counted, RollingCount } from "./RollingCount.ts"

/** How a send ended. Only the first two are remembered. */
export type Outcome =
  | {
      readonly _tag: "Sent"
      readonly results: ReadonlyArray<SendResult>
      /** Whether the service's response could be read. */
      readonly readable: boolean
      readonly atMillis: number
    }
  | {
      readonly _tag: "Unknown"
      /** A first copy that went out for sure. */
      readonly first?: SentOutcome
    }
  | { readonly _tag: "NotSent"; readonly refusal: Refusal }

export type SentOutcome = Extract<Outcome, { readonly _tag: "Sent" }>

/** A limit of what goes out within a time, for all who share its scope. */
export interface Cap {
  /** Whose sends count: a principal's, or everyone's. */
  readonly scope: string
  readonly counts: "messages" | "segments"
  readonly limit: number
  /** The option that sets it. */
  readonly option: Name
}

export const windowOf = { messages: 3_600_000, segments: 86_400_000 } as const

export interface Claim {
  /** The digest of principal, recipient, text, sender and schedule. */
  readonly key: string
  readonly principal: string
  /** How long a send that went out is remembered. */
  readonly windowMillis: number
  /** What the send counts for its caps. */
  readonly messages: number
  readonly segments: number
  readonly caps: ReadonlyArray<Cap>
  /** As what it is sent: a first send, or over the outcome of an earlier one. */
  readonly kind: SendKind
  /** The person's approval that the claim rests on. Claiming redeems it. */
  readonly approval?: Approval
}

export interface Approval {
  readonly nonce: string
  readonly expiresAtMillis: number
}

export type ClaimResult =
  | {
      readonly _tag: "Available"
      /** The outcome that the claim passes over. */
      readonly before?: Outcome
    }
  /** `retryAfterSeconds` is absent where it is more than the limit and never has room. */
  | { readonly _tag: "CapReached"; readonly cap: Cap; readonly retryAfterSeconds?: number }
  /** The question was answered before: `accepted`, and the send that followed is forgotten, or not. */
  | { readonly _tag: "ApprovalUsed"; readonly accepted: boolean }
  /** Another call sends the same SMS at this moment. */
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome> }
  /** An earlier call sent the same SMS. */
  | { readonly _tag: "Known"; readonly outcome: Outcome }

export class SendMemory extends Context.Service<
  SendMemory,
  {
    /** The result that `claim` would have, without claiming. */
    readonly look: (claim: Claim) => Effect.Effect<ClaimResult>
    /** Claims the right to send: after `Available` the caller has it until `settle`. */
    readonly claim: (claim: Claim) => Effect.Effect<ClaimResult>
    /** Ends a claim. Returns what is known from now on, and tells the calls that wait for it. */
    readonly settle: (claim: Claim, outcome: Outcome) => Effect.Effect<Outcome>
    /** Uses a question up without a claim, when a person declined. Returns how it was answered before. */
    readonly redeem: (approval: Approval) => Effect.Effect<"accepted" | "declined" | undefined>
    /** The ids of a principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendMemory") {
  static readonly layerMemory: Layer.Layer<SendMemory> = Layer.sync(SendMemory, () => makeMemory())
}

/** Of each principal. */
const rememberedIds = 100

/** An id that is longer, or that hides something, is no id to complete. */
const longestId = 200

/** Principals whose ids are remembered. */
const rememberedPrincipals = 1_000

interface Settled {
  readonly outcome: Outcome
  readonly at: number
}

interface Entry {
  readonly counted: ReadonlyArray<readonly [RollingCount, Counted]>
  /** What was known before: if a second send does not go out, it stays known. */
  readonly before: Settled | undefined
  readonly deferred: Deferred.Deferred<Outcome>
  readonly settled?: Settled
}

/** Which outcome of an earlier send a kind of send passes over. */
const passesOver = (kind: SendKind, { _tag }: Outcome): boolean =>
  (kind === "resend" && _tag === "Unknown") || (kind === "copy" && _tag === "Sent")

/** What went out is known for as long as the window lasts, and what is unknown for ever. */
const still = (
  now: number,
  { windowMillis }: Claim,
  settled: Settled | undefined
): Settled | undefined =>
  settled?.outcome._tag === "Sent" && now - settled.at >= windowMillis ? undefined : settled

const makeMemory = (): SendMemory["Service"] => {
  const entries = new Map<string, Entry>()
  /** Entries that went out, in the order in which the window lets them go. */
  const leaving = new Map<Settled, string>()
  const counts = new Map<string, RollingCount>()
  /** In the order in which they expire. */
  const nonces = new Map<string, { readonly expiresAt: number; readonly accepted: boolean }>()
  const ids = new Map<string, ReadonlyArray<string>>()

  const countOf = ({ counts: unit, scope }: Cap): RollingCount => {
    const name = `${unit} ${scope}`
    const known = counts.get(name) ?? new RollingCount(windowOf[unit])
    counts.set(name, known)
    return known
  }

  /** An unknown outcome is never forgotten: after the window it is still unknown. */
  const forgetOld = (now: number, windowMillis: number): void => {
    for (const [settled, key] of leaving) {
      if (now - settled.at < windowMillis) break
      leaving.delete(settled)
      if (entries.get(key)?.settled === settled) entries.delete(key)
    }
    for (const [nonce, { expiresAt }] of nonces) {
      if (expiresAt >= now) break
      nonces.delete(nonce)
    }
  }

  const reached = (now: number, claim: Claim): ClaimResult | undefined => {
    for (const cap of claim.caps) {
      const count = countOf(cap)
      const waitMillis = count.roomIn(now, claim[cap.counts], cap.limit)
      if (waitMillis === Infinity) return { _tag: "CapReached", cap }
      if (waitMillis > 0) {
        return { _tag: "CapReached", cap, retryAfterSeconds: Math.ceil(waitMillis / 1000) }
      }
    }
    return undefined
  }

  const find = (now: number, claim: Claim): ClaimResult => {
    forgetOld(now, claim.windowMillis)
    const entry = entries.get(claim.key)
    if (entry !== undefined && entry.settled === undefined) {
      return { _tag: "InFlight", outcome: Deferred.await(entry.deferred) }
    }
    const known = still(now, claim, entry?.settled)?.outcome
    if (known !== undefined && !passesOver(claim.kind, known)) {
      return { _tag: "Known", outcome: known }
    }
    return (
      reached(now, claim) ?? {
        _tag: "Available",
        ...(known === undefined ? {} : { before: known })
      }
    )
  }

  /** How it was answered before. */
  const redeem = ({ expiresAtMillis, nonce }: Approval, accepted: boolean) => {
    const before = nonces.get(nonce)
    if (before === undefined) nonces.set(nonce, { expiresAt: expiresAtMillis, accepted })
    return before
  }

  const take = (now: number, claim: Claim): ClaimResult => {
    const result = find(now, claim)
    const answered = claim.approval === undefined ? undefined : redeem(claim.approval, true)
    // The outcome of the send says more than that its approval is used up.
    const isKnown = result._tag === "InFlight" || result._tag === "Known"
    if (answered !== undefined && !isKnown) {
      return { _tag: "ApprovalUsed", accepted: answered.accepted }
    }
    if (result._tag === "Available") {
      entries.set(claim.key, {
        counted: claim.caps.map((cap) => {
          const count = countOf(cap)
          return [count, count.add(now, claim[cap.counts])] as const
        }),
        before: entries.get(claim.key)?.settled,
        deferred: Deferred.makeUnsafe()
      })
    }
    return result
  }

  const rememberIds = (principal: string, results: ReadonlyArray<SendResult>): void => {
    const known = ids.get(principal) ?? []
    const sent = results
      .map(({ message_id }) => message_id)
      .filter((id) => id.length <= longestId && visible(id) === id)
    // The principal that sent last stands last.
    ids.delete(principal)
    ids.set(principal, [...sent, ...known].slice(0, rememberedIds))
    const [oldest] = ids.keys()
    if (ids.size > rememberedPrincipals && oldest !== undefined) ids.delete(oldest)
  }

  const settle = (now: number, claim: Claim, outcome: Outcome): Effect.Effect<Outcome> => {
    const entry = entries.get(claim.key)
    if (entry === undefined) return Effect.succeed(outcome)
    if (outcome._tag === "NotSent") for (const [count, each] of entry.counted) count.remove(each)
    if (outcome._tag === "Sent") rememberIds(claim.principal, outcome.results)
    const settled =
      outcome._tag === "NotSent" ? still(now, claim, entry.before) : { outcome, at: now }
    if (settled === undefined) entries.delete(claim.key)
    else entries.set(claim.key, { ...entry, settled })
    if (settled?.outcome._tag === "Sent") leaving.set(settled, claim.key)
    const result = settled?.outcome ?? outcome
    return Effect.as(Deferred.succeed(entry.deferred, result), result)
  }

  return {
    look: (claim) => Effect.map(Clock.currentTimeMillis, (now) => find(now, claim)),
    claim: (claim) => Effect.map(Clock.currentTimeMillis, (now) => take(now, claim)),
    settle: (claim, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => settle(now, claim, outcome)),
    redeem: (approval) =>
      Effect.sync(() => {
        const before = redeem(approval, false)
        return before === undefined ? undefined : before.accepted ? "accepted" : "declined"
      }),
    messageIds: (principal) => Effect.sync(() => ids.get(principal) ?? [])
  }
}
