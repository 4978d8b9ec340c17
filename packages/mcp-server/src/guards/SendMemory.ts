/**
 * What the guards remember: sends, the hour's count, used approvals.
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
import type { Refusal } from "../Refusal.ts"

/** How a send ended. Only the first two are remembered. */
export type Outcome =
  | {
      readonly _tag: "Sent"
      readonly results: ReadonlyArray<SendResult>
      readonly readable: boolean
    }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "NotSent"; readonly refusal: Refusal }

export interface Claim {
  /** The digest of principal, recipient, text, sender and schedule. */
  readonly key: string
  readonly principal: string
  /** How long a send that went out is remembered. */
  readonly windowMillis: number
  readonly sendsPerHour: number
  /** Whether a send of unknown outcome may be sent again. */
  readonly again: boolean
  /** The person's yes that the claim rests on. Claiming uses it up. */
  readonly approval?: Approval
}

export interface Approval {
  readonly nonce: string
  readonly expiresAtMillis: number
}

export type Finding =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Full"; readonly retryAfterSeconds: number }
  /** The approval was used before, and nothing is known of the send that it was used for. */
  | { readonly _tag: "Used" }
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome> }
  | { readonly _tag: "Settled"; readonly outcome: Outcome }

export class SendMemory extends Context.Service<
  SendMemory,
  {
    /** What a claim would find, without making it. */
    readonly look: (claim: Claim) => Effect.Effect<Finding>
    /** Takes the right to send: after `Free` it is the caller's, until `settle`. */
    readonly claim: (claim: Claim) => Effect.Effect<Finding>
    /** Ends a claim. Returns what is known from now on, and tells it to whoever waits. */
    readonly settle: (claim: Claim, outcome: Outcome) => Effect.Effect<Outcome>
    /** Uses an approval up without a claim, for a person's no. Returns whether it was unused. */
    readonly redeem: (approval: Approval) => Effect.Effect<boolean>
    /** The ids of a principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/guards/SendMemory") {
  static readonly layerMemory: Layer.Layer<SendMemory> = Layer.sync(SendMemory, () => makeMemory())
}

const hourMillis = 3_600_000

const rememberedIds = 100

interface Entry {
  readonly claimedAt: number
  /** It sends again what was unknown: where it does not go out, the unknown one stays. */
  readonly again: boolean
  readonly deferred: Deferred.Deferred<Outcome>
  readonly settled?: { readonly outcome: Outcome; readonly at: number }
}

const unknown: Outcome = { _tag: "Unknown" }

const makeMemory = (): SendMemory["Service"] => {
  const entries = new Map<string, Entry>()
  /** When each send of the last hour was claimed, oldest first. */
  let claimed: Array<number> = []
  const nonces = new Map<string, number>()
  let ids: Array<{ readonly principal: string; readonly messageId: string }> = []

  /** An unknown outcome is never forgotten: after the window it is still unknown. */
  const forgetOld = (now: number, windowMillis: number): void => {
    for (const [key, { settled }] of entries) {
      if (settled?.outcome._tag === "Sent" && now - settled.at >= windowMillis) entries.delete(key)
    }
    claimed = claimed.filter((at) => now - at < hourMillis)
    for (const [nonce, expiresAt] of nonces) if (expiresAt < now) nonces.delete(nonce)
  }

  const find = (now: number, claim: Claim): Finding => {
    forgetOld(now, claim.windowMillis)
    const entry = entries.get(claim.key)
    if (entry !== undefined && entry.settled === undefined) {
      return { _tag: "InFlight", outcome: Deferred.await(entry.deferred) }
    }
    if (
      entry?.settled !== undefined &&
      !(claim.again && entry.settled.outcome._tag === "Unknown")
    ) {
      return { _tag: "Settled", outcome: entry.settled.outcome }
    }
    const oldest = claimed[0]
    return claimed.length < claim.sendsPerHour || oldest === undefined
      ? { _tag: "Free" }
      : { _tag: "Full", retryAfterSeconds: Math.ceil((oldest + hourMillis - now) / 1000) }
  }

  /** Whether it is used for the first time. */
  const redeem = ({ expiresAtMillis, nonce }: Approval): boolean => {
    if (nonces.has(nonce)) return false
    nonces.set(nonce, expiresAtMillis)
    return true
  }

  const take = (now: number, claim: Claim): Finding => {
    const finding = find(now, claim)
    const isApproved = claim.approval === undefined || redeem(claim.approval)
    // What is known of the send says more than that its approval is used up.
    const isKnown = finding._tag === "InFlight" || finding._tag === "Settled"
    if (!isApproved && !isKnown) return { _tag: "Used" }
    if (finding._tag === "Free") {
      const again = entries.has(claim.key)
      entries.set(claim.key, { claimedAt: now, again, deferred: Deferred.makeUnsafe() })
      claimed.push(now)
    }
    return finding
  }

  const remember = ({ principal }: Claim, outcome: Outcome, entry: Entry): Outcome => {
    if (outcome._tag === "NotSent") {
      const counted = claimed.indexOf(entry.claimedAt)
      if (counted !== -1) claimed.splice(counted, 1)
      return entry.again ? unknown : outcome
    }
    if (outcome._tag === "Sent") {
      const sent = outcome.results.map(({ message_id }) => ({ principal, messageId: message_id }))
      ids = [...sent, ...ids].slice(0, rememberedIds)
    }
    return outcome
  }

  const settle = (now: number, claim: Claim, outcome: Outcome): Effect.Effect<Outcome> => {
    const entry = entries.get(claim.key)
    if (entry === undefined) return Effect.succeed(outcome)
    const known = remember(claim, outcome, entry)
    if (known._tag === "NotSent") entries.delete(claim.key)
    else entries.set(claim.key, { ...entry, settled: { outcome: known, at: now } })
    return Effect.as(Deferred.succeed(entry.deferred, known), known)
  }

  return {
    look: (claim) => Effect.map(Clock.currentTimeMillis, (now) => find(now, claim)),
    claim: (claim) => Effect.map(Clock.currentTimeMillis, (now) => take(now, claim)),
    settle: (claim, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => settle(now, claim, outcome)),
    redeem: (approval) => Effect.sync(() => redeem(approval)),
    messageIds: (principal) =>
      Effect.sync(() => ids.filter((id) => id.principal === principal).map((id) => id.messageId))
  }
}
