/**
 * What the guards remember: sends, the count of the hour, used approvals.
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
  readonly maxSendsPerHour: number
  /** Whether a send of unknown outcome may be sent a second time. */
  readonly resend: boolean
  /** The person's approval that the claim rests on. Claiming redeems it. */
  readonly approval?: Approval
}

export interface Approval {
  readonly nonce: string
  readonly expiresAtMillis: number
}

export type ClaimResult =
  | { readonly _tag: "Available" }
  | { readonly _tag: "HourlyLimitReached"; readonly retryAfterSeconds: number }
  /** The approval was used before, and the send that it was used for is forgotten. */
  | { readonly _tag: "ApprovalUsed" }
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
    /** Uses an approval up without a claim, when a person declined. Returns whether it was unused. */
    readonly redeem: (approval: Approval) => Effect.Effect<boolean>
    /** The ids of a principal's last messages, newest first. */
    readonly messageIds: (principal: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@messaging-topup/mcp-server/send/SendMemory") {
  static readonly layerMemory: Layer.Layer<SendMemory> = Layer.sync(SendMemory, () => makeMemory())
}

const hourMillis = 3_600_000

/** Of each principal. */
const rememberedIds = 100

const rememberedPrincipals = 1_000

/** A send that is on its way, or whose outcome is unknown. */
interface Entry {
  /** A second send of an unknown one: if it does not go out, the first one stays unknown. */
  readonly isResend: boolean
  readonly deferred: Deferred.Deferred<Outcome>
  readonly isUnknown: boolean
}

interface SentEntry {
  readonly outcome: Outcome
  readonly at: number
}

const unknown: Outcome = { _tag: "Unknown" }

/**
 * Removes what is over. A map keeps the order of insertion, which here is the order of time, so a
 * call walks over what it removes and not over all that is remembered.
 */
const forget = <K, V>(map: Map<K, V>, isOver: (value: V) => boolean): void => {
  for (const [key, value] of map) {
    if (!isOver(value)) return
    map.delete(key)
  }
}

const makeMemory = (): SendMemory["Service"] => {
  /** An unknown outcome is never forgotten: after the window it is still unknown. */
  const entries = new Map<string, Entry>()
  const sent = new Map<string, SentEntry>()
  /** When each send of the last hour was claimed. */
  const claimed = new Map<Entry["deferred"], number>()
  const nonces = new Map<string, number>()
  /** The principal that sent last comes last. */
  const ids = new Map<string, ReadonlyArray<string>>()

  const forgetOld = (now: number, windowMillis: number): void => {
    forget(sent, ({ at }) => now - at >= windowMillis)
    forget(claimed, (at) => now - at >= hourMillis)
    forget(nonces, (expiresAt) => expiresAt < now)
  }

  const find = (now: number, claim: Claim): ClaimResult => {
    forgetOld(now, claim.windowMillis)
    const before = sent.get(claim.key)
    // A clock that was set back breaks the order.
    if (before !== undefined && now - before.at < claim.windowMillis) {
      return { _tag: "Known", outcome: before.outcome }
    }
    const entry = entries.get(claim.key)
    if (entry !== undefined && !entry.isUnknown) {
      return { _tag: "InFlight", outcome: Deferred.await(entry.deferred) }
    }
    if (entry !== undefined && !claim.resend) return { _tag: "Known", outcome: unknown }
    const [oldest] = claimed.values()
    return claimed.size < claim.maxSendsPerHour || oldest === undefined
      ? { _tag: "Available" }
      : {
          _tag: "HourlyLimitReached",
          retryAfterSeconds: Math.ceil((oldest + hourMillis - now) / 1000)
        }
  }

  /** Whether it is used for the first time. */
  const redeem = ({ expiresAtMillis, nonce }: Approval): boolean => {
    if (nonces.has(nonce)) return false
    nonces.set(nonce, expiresAtMillis)
    return true
  }

  const take = (now: number, claim: Claim): ClaimResult => {
    const result = find(now, claim)
    const isApproved = claim.approval === undefined || redeem(claim.approval)
    // The outcome of the send says more than that its approval is used up.
    const isKnown = result._tag === "InFlight" || result._tag === "Known"
    if (!isApproved && !isKnown) return { _tag: "ApprovalUsed" }
    if (result._tag === "Available") {
      const deferred = Deferred.makeUnsafe<Outcome>()
      entries.set(claim.key, { isResend: entries.has(claim.key), deferred, isUnknown: false })
      claimed.set(deferred, now)
    }
    return result
  }

  const rememberIds = (principal: string, results: ReadonlyArray<SendResult>): void => {
    const known = ids.get(principal) ?? []
    ids.delete(principal)
    ids.set(
      principal,
      [...results.map(({ message_id }) => message_id), ...known].slice(0, rememberedIds)
    )
    forget(ids, () => ids.size > rememberedPrincipals)
  }

  const settle = (now: number, claim: Claim, outcome: Outcome): Effect.Effect<Outcome> => {
    const entry = entries.get(claim.key)
    if (entry === undefined) return Effect.succeed(outcome)
    if (outcome._tag === "NotSent") claimed.delete(entry.deferred)
    const known = outcome._tag === "NotSent" && entry.isResend ? unknown : outcome
    entries.delete(claim.key)
    if (known._tag === "Unknown") entries.set(claim.key, { ...entry, isUnknown: true })
    if (known._tag === "Sent") {
      sent.delete(claim.key)
      sent.set(claim.key, { outcome: known, at: now })
      rememberIds(claim.principal, known.results)
    }
    return Effect.as(Deferred.succeed(entry.deferred, known), known)
  }

  return {
    look: (claim) => Effect.map(Clock.currentTimeMillis, (now) => find(now, claim)),
    claim: (claim) => Effect.map(Clock.currentTimeMillis, (now) => take(now, claim)),
    settle: (claim, outcome) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => settle(now, claim, outcome)),
    redeem: (approval) => Effect.sync(() => redeem(approval)),
    messageIds: (principal) => Effect.sync(() => ids.get(principal) ?? [])
  }
}
