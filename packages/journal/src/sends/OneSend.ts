/**
 * One send, in one way for programs, for lists and for the server: its key is claimed, its request is made, and
 * its claim is settled.
 */
import {
  endOfSend,
  MayStart,
  MessagingTopup,
  type SendEnd,
  type SendSmsError,
  type SendSmsRequest,
  type SendSmsResponse
} from "@messaging-topup/core"
import { attemptMillis } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import { randomUUID } from "node:crypto"
import type { Database, Query } from "../database/Database.ts"
import type { JournalError } from "../model/Errors.ts"
import type { Names } from "../model/Names.ts"
import type { Claim, KeyedSend, Standing, StoredOutcome } from "../model/Send.ts"
import { beginClaim, type ClaimOptions, type Facts, type Rule, standingOf } from "../Rule.ts"
import { Closing } from "./Closing.ts"
import { storedOutcomeOf } from "./StoredOutcome.ts"

/** What an owner of sends asks in the transaction of a claim. */
export interface Gate<Refusal> {
  /** Two claims with the same lock ask one after the other. */
  readonly lock: string
  /**
   * Returns why nothing is claimed; undefined if nothing is against it. What it writes stays in both cases. `token` is
   * that of the claim: the same if the transaction is repeated.
   */
  readonly ask: (query: Query, token: string) => Effect.Effect<Refusal | undefined, JournalError>
}

/** A send to claim, with its conditions. */
export interface ToClaim<Refusal> {
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  /** The campaign of which it is a row. */
  readonly campaign?: string | undefined
  readonly facts?: Facts
  /** The attempt that a person approved, and what stood in its way. Absent: nothing may. */
  readonly again?: Pick<Standing, "attempt" | "state"> | undefined
  readonly gate?: Gate<Refusal> | undefined
}

/** The right to make one send. */
export interface Claimed {
  readonly _tag: "Claimed"
  readonly claim: Claim & { readonly id: number }
  /** How the key stood before: what the new SMS is sent over. */
  readonly standing: Standing
  /** Whether its request may still start. */
  readonly mayStart: () => boolean
}

/** How an attempt to claim ended without a claim. */
export type NotClaimed<Refusal> =
  /** The key cannot be claimed as it stands. */
  | { readonly _tag: "InTheWay"; readonly standing: Standing }
  | { readonly _tag: "Refused"; readonly refusal: Refusal }

/** Whether the key cannot be claimed as it stands. An approval holds for what was asked, and nothing else. */
const isInTheWay = (standing: Standing, again: ToClaim<unknown>["again"]): boolean => {
  const { attempt, isChanged, state } = standing
  if (again !== undefined) {
    return isChanged || state === "in-flight" || state !== again.state || attempt !== again.attempt
  }
  return state !== "rejected" && (isChanged || state !== "free")
}

const notStarted: SendEnd<SendSmsResponse, SendSmsError> = {
  outcome: "not-sent",
  results: [],
  exit: Exit.interrupt()
}

/** Makes a call interruptible where nothing else is. */
export type Restore = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Makes the request of a claim, unless it is too late. `isLate`: it did not start, because the process may have
 * been frozen since the claim.
 */
export const perform = Effect.fnUntraced(function* (
  request: SendSmsRequest,
  mayStart: () => boolean,
  restore: Restore = identity
) {
  const { sendSms } = yield* MessagingTopup
  const mayStartOutside = yield* MayStart
  let isLate = false
  const isInTime = () => {
    isLate = !mayStart()
    return !isLate
  }
  // A program's own service may not ask.
  const end = isInTime()
    ? yield* Effect.provideService(
        endOfSend(sendSms(request), restore),
        MayStart,
        () => isInTime() && mayStartOutside()
      )
    : notStarted
  return { end, stored: storedOutcomeOf(end), isLate }
})

export type Performed = Effect.Success<ReturnType<typeof perform>>

/** A claim whose request ended. */
export type SentNow = Claimed & Performed

export const makeOneSend = (
  { lock, transaction }: Database,
  rule: Rule,
  { describe }: Names,
  settle: (claim: Claim, stored: StoredOutcome) => Effect.Effect<unknown>
) => {
  /** The order is the guard: what may be told and what may be redeemed depends on what came before. */
  const tryToClaim = Effect.fnUntraced(function* <Refusal>(
    query: Query,
    { again, facts, gate, request, send }: ToClaim<Refusal>,
    options: ClaimOptions,
    mayStart: () => boolean
  ): Effect.fn.Return<Claimed | NotClaimed<Refusal>, JournalError> {
    const { key } = send
    const { token } = options
    if (gate !== undefined) yield* lock(query, gate.lock)
    yield* rule.lockSends(query, "stored.key = $1", [key])
    const attempts = yield* rule.attempts(query, [key])
    const own = attempts.find((attempt) => attempt.token === token)
    const standing = standingOf(
      attempts.filter((attempt) => attempt !== own),
      send.request
    )
    const claimed = (id: number, attempt: number): Claimed => ({
      _tag: "Claimed",
      claim: { id, key, attempt, token },
      standing,
      mayStart
    })
    if (own !== undefined) {
      // The first run was committed, but its acknowledgement was lost. Somebody may have decided since.
      const { attempt, id } = own.send
      const isOurs = own.isClaimed && attempts.every(({ send: each }) => each.attempt <= attempt)
      return isOurs
        ? claimed(id, attempt)
        : { _tag: "InTheWay", standing: standingOf(attempts, send.request) }
    }
    if (isInTheWay(standing, again)) return { _tag: "InTheWay", standing }
    const refusal = gate && (yield* gate.ask(query, token))
    if (refusal !== undefined) return { _tag: "Refused", refusal }
    const id = yield* rule.claimOne(
      query,
      { ...describe(send, request), ...facts, attempt: standing.attempt },
      options
    )
    if (id !== undefined) return claimed(id, standing.attempt)
    const [after = standing] = yield* rule.look(query, [send])
    return { _tag: "InTheWay", standing: after }
  })

  /**
   * Claims the right to make one send. The claim is on disk before this returns; after a failure, nothing may be
   * sent.
   */
  const claim = Effect.fnUntraced(function* <Refusal>(
    given: ToClaim<Refusal>,
    timeoutMillis: number
  ) {
    if ((yield* Closing).isClosed()) return yield* Effect.interrupt
    const mayStart = yield* beginClaim
    const token = randomUUID()
    const options = { token, timeoutMillis, campaign: given.campaign }
    return yield* transaction((query) => tryToClaim(query, given, options, mayStart), "some")
  })

  /**
   * Claims a send, makes its request and settles its claim. Uninterruptible but for the request, so that every
   * claim is settled with an outcome. `onClaim` runs between claim and request. `restore` is for who tells the end
   * of an interrupted one: it makes only the request interruptible.
   */
  return <Refusal>(
    given: ToClaim<Refusal>,
    onClaim: (claimed: Claimed) => Effect.Effect<void> = () => Effect.void,
    restore?: Restore
  ) =>
    Effect.uninterruptibleMask((own) =>
      Effect.gen(function* () {
        const timeoutMillis = attemptMillis(yield* MessagingTopup)
        const claimed = yield* claim(given, timeoutMillis)
        if (claimed._tag !== "Claimed") return claimed
        yield* onClaim(claimed)
        const performed = yield* perform(given.request, claimed.mayStart, restore ?? own)
        yield* settle(claimed.claim, performed.stored)
        const sent: SentNow = { ...claimed, ...performed }
        return sent
      })
    )
}

export type OneSend = ReturnType<typeof makeOneSend>
