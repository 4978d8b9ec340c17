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
}

export type Finding =
  | { readonly _tag: "Free" }
  | { readonly _tag: "Full"; readonly retryAfterSeconds: number }
  | { readonly _tag: "InFlight"; readonly outcome: Effect.Effect<Outcome> }
  | { readonly _tag: "Settled"; readonly outcome: Outcome }

export class SendMemory extends Context.Service<
  SendMemory,
  {
    /** What a claim would find, without making it. */
    readonly look: (claim: Claim) => Effect.Effect<Finding>
    /** Takes the right to send: after `Free` it is the caller's, until `settle`. */
    readonly claim: (claim: Claim) => Effect.Effect<Finding>
    readonly settle: (claim: Claim, outcome: Outcome) => Effect.Effect<void>
    /** Whether the approval is used for the first time. */
    readonly redeem: (nonce: string, expiresAtMillis: number) => Effect.Effect<boolean>
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

  const take = (now: number, claim: Claim): Finding => {
    const finding = find(now, claim)
    if (finding._tag === "Free") {
      const again = entries.has(claim.key)
      entries.set(claim.key, { claimedAt: now, again, deferred: Deferred.makeUnsafe() })
      claimed.push(now)
    }
    return finding
  }

  const settle = (now: number, claim: Claim, outcome: Outcome): Entry | undefined => {
    const entry = entries.get(claim.key)
    if (entry === undefined) return undefined
    if (outcome._tag === "NotSent") {
      const counted = claimed.indexOf(entry.claimedAt)
      if (counted !== -1) claimed.splice(counted, 1)
      if (entry.again) entries.set(claim.key, { ...entry, settled: { outcome: unknown, at: now } })
      else entries.delete(claim.key)
    } else {
      entries.set(claim.key, { ...entry, settled: { outcome, at: now } })
    }
    if (outcome._tag === "Sent") {
      const sent = outcome.results.map(({ message_id }) => ({
        principal: claim.principal,
        messageId: message_id
      }))
      ids = [...sent, ...ids].slice(0, rememberedIds)
    }
    return entry
  }

  return {
    look: (claim) => Effect.map(Clock.currentTimeMillis, (now) => find(now, claim)),
    claim: (claim) => Effect.map(Clock.currentTimeMillis, (now) => take(now, claim)),
    settle: (claim, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const entry = settle(now, claim, outcome)
        return entry === undefined ? Effect.void : Deferred.succeed(entry.deferred, outcome)
      }),
    redeem: (nonce, expiresAtMillis) =>
      Effect.sync(() => {
        if (nonces.has(nonce)) return false
        nonces.set(nonce, expiresAtMillis)
        return true
      }),
    messageIds: (principal) =>
      Effect.sync(() => ids.filter((id) => id.principal === principal).map((id) => id.messageId))
  }
}
