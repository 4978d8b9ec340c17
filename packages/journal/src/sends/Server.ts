/**
 * The sends of a server that asks a person: one claim at a time, within limits. Each operation is atomic over
 * all processes that share the journal.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database, Query } from "../database/Database.ts"
import { integer, type StoredRow, rowOf, rowsOf, text } from "../database/StoredRows.ts"
import type { Names } from "../model/Names.ts"
import type { JournalError } from "../model/Errors.ts"
import {
  type Claim,
  countsForMillis,
  type KeyedSend,
  type KnownSend,
  type Standing
} from "../model/Send.ts"
import { type Rule, toleranceMillis } from "../Rule.ts"
import type { ClaimOptions, Facts } from "../Write.ts"
import { randomUUID } from "node:crypto"
import { standingOf } from "../model/Standing.ts"
import { mayBeOut } from "../model/States.ts"
import { type AskedSms, type EarlierSends, makeEarlier, newestOf } from "./EarlierSends.ts"
import {
  newClaim,
  perform,
  type Performed,
  requireNewest,
  type Restore,
  type Settle
} from "./OneSend.ts"

/** A person's approval, valid for one claim. */
export interface Approval {
  readonly nonce: string
  /** For how long the journal remembers that the approval was used: clocks differ, so it is no time. */
  readonly validFor: Duration.Duration
}

/** How the key stood where a person approved its SMS, and what the question told. */
export interface AsShown extends Pick<Standing, "attempt" | "state"> {
  /** The largest id of the earlier sends that it told of. */
  readonly newestTold: number
}

/** A send, with the conditions of its claim. */
export interface ToSend {
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  readonly facts: Facts
  /** The other SMS of the call to the number, which is told of these by their own ends. */
  readonly others: ReadonlyArray<AskedSms>
  /** What a person approved. Absent: nothing may be in the way. */
  readonly asShown?: AsShown | undefined
  /** At most so many SMS in any hour, of all callers together. */
  readonly maxPerHour?: number | undefined
  readonly approval?: Approval | undefined
}

/** So many more SMS are too many now. */
export interface LimitReached {
  readonly _tag: "LimitReached"
  /** In any hour. */
  readonly max: number
  /** Of the last hour. */
  readonly used: number
  /** When they fit. Absent if they alone are more than the limit. */
  readonly retryAfter?: Duration.Duration
}

/** How an approval was used: to send what it is for, or as declined. */
export type UsedAs = "approved" | "declined"

/** Why the server may not claim. */
export type Refused =
  | LimitReached
  /** The approval was used before. */
  | { readonly _tag: "ApprovalUsed"; readonly usedAs: UsedAs }

/** The right to make one send. */
export interface Claimed {
  readonly _tag: "Claimed"
  readonly claim: Claim
  /** How the key stood before: what the new SMS is sent over. */
  readonly standing: Standing
  /** What a question would tell now: of two claims at once, the second has the first. */
  readonly earlier: EarlierSends
  /** If it is sent, it counts as a repetition until then, or a little longer. */
  readonly countsUntil: number
  /** Whether its request may still start. */
  readonly mayStart: () => boolean
}

/** Why a key was not claimed. */
type NotClaimed =
  /** The key cannot be claimed as it stands, or other sends to the number do not stand as they were told. */
  | { readonly _tag: "InTheWay"; readonly standing: Standing }
  | { readonly _tag: "Refused"; readonly refusal: Refused }

/** A claim whose request ended. */
export type SentNow = Claimed & Performed

/** Selects sends of the server. */
export interface SendFilter {
  readonly caller?: string
  /** `recipientDigest` of a number. */
  readonly recipient?: string
  /** Only those in the state unknown. */
  readonly isUnknown?: boolean
  readonly limit: number
}

const usedAsOf = (row: StoredRow): UsedAs =>
  integer(row, "approved") === 1 ? "approved" : "declined"

/** For how long a send counts for the limit. */
const limitMillis = 60 * 60 * 1000

/** Whether the key cannot be claimed as it stands. An approval holds for what was asked, and nothing else. */
const isInTheWay = (standing: Standing, asShown: ToSend["asShown"]): boolean => {
  const { attempt, changed, state } = standing
  if (asShown !== undefined) {
    const isOther = state !== asShown.state || attempt !== asShown.attempt
    return changed !== undefined || state === "in-flight" || isOther
  }
  return state !== "rejected" && (changed !== undefined || state !== "free")
}

export const makeServer = (
  { dialect, lock, read, search, transaction }: Database,
  rule: Rule,
  { describe }: Names,
  settle: Settle
) => {
  const { integer: int, now, table } = dialect
  const stored = table("send")
  const approvals = table("approval")

  const earlierIn = makeEarlier(dialect, rule, describe)

  const start = `${now} - ${limitMillis}`

  /**
   * What was claimed while the clock was ahead does not count: it would count until then. SQLite reads a list of
   * states a third slower.
   */
  const counted = `owner = 'server' and claimed_at > ${start} and claimed_at <= ${now} + ${toleranceMillis}
    and (${mayBeOut.map((word) => `state = '${word}'`).join(" or ")})`

  /** In how many milliseconds so many of them have left the hour. */
  const wait = `select claimed_at - (${start}) as millis from ${stored} where ${counted}
    order by claimed_at, id limit 1 offset $excess`

  /** Returns how the limit refuses so many SMS now; undefined if they fit. */
  const reached = Effect.fnUntraced(function* (query: Query, max: number, messages: number) {
    const used = yield* rule.count(query, counted)
    const excess = used + messages - max
    if (excess <= 0) return undefined
    const limit: LimitReached = { _tag: "LimitReached", max, used }
    if (messages > max) return limit
    const millis = yield* rowOf(query(wait, { excess: excess - 1 }), (row) =>
      integer(row, "millis")
    )
    return { ...limit, retryAfter: Duration.millis(millis ?? 0) }
  })

  /**
   * Returns how another call redeemed the approval; undefined if this one does, or did: if the transaction is repeated
   * after a lost acknowledgement, `ticket` is the same. It is a row of its own, which only the call that inserted the
   * nonce inserts: both in one statement would let an approval hold twice.
   */
  const redeemIn = Effect.fnUntraced(function* (
    query: Query,
    { nonce, validFor }: Approval,
    as: UsedAs,
    ticket: string
  ): Effect.fn.Return<UsedAs | undefined, JournalError> {
    yield* query(`delete from ${approvals} where expires_at < ${now}`)
    const redeemed = yield* query(
      `insert into ${approvals} (nonce, expires_at, approved) values ($nonce, ${now} + cast($valid as ${int}), $approved)
      on conflict (nonce) do nothing returning nonce`,
      { nonce, valid: Duration.toMillis(validFor), approved: as === "approved" ? 1 : 0 }
    )
    if (redeemed.length > 0) {
      const own = `insert into ${approvals} (nonce, expires_at, approved)
        select $ticket, expires_at, approved from ${approvals} where nonce = $nonce`
      yield* query(own, { nonce, ticket })
      return undefined
    }
    const before = yield* rowsOf(
      query(`select nonce, approved from ${approvals} where nonce in ($nonce, $ticket)`, {
        nonce,
        ticket
      }),
      (row) => ({ name: text(row, "nonce"), usedAs: usedAsOf(row) })
    )
    if (before.some(({ name }) => name === ticket)) return undefined
    return before.some(({ usedAs }) => usedAs === "approved") ? "approved" : "declined"
  })

  /** The order is the guard: what may be told and what may be redeemed depends on what came before. */
  const tryToClaim = Effect.fnUntraced(function* (
    query: Query,
    { approval, asShown, facts, maxPerHour, others, request, send: keyed }: ToSend,
    options: ClaimOptions,
    mayStart: () => boolean
  ): Effect.fn.Return<Claimed | NotClaimed, JournalError> {
    const { key } = keyed
    const { ticket } = options
    // Of all callers: what one claims counts for the others.
    if (maxPerHour !== undefined || approval !== undefined) yield* lock(query, "limits")
    yield* rule.lockSends(query, "stored.key = $key", { key })
    const attempts = yield* rule.attempts(query, [key])
    const own = attempts.find((attempt) => attempt.ticket === ticket)
    const standing = standingOf(
      attempts.filter((attempt) => attempt !== own),
      keyed.digest
    )
    const all = [{ key, request, state: standing.state }, ...others]
    const readEarlier = Effect.map(
      earlierIn(query, facts.caller, all, ticket),
      ([earlier = {}]) => earlier
    )
    const claimed = (
      { claimedAt, id }: Pick<KnownSend, "claimedAt" | "id">,
      attempt: number,
      earlier: EarlierSends
    ): Claimed => ({
      _tag: "Claimed",
      claim: { id, key, attempt, ticket },
      standing,
      earlier,
      countsUntil: claimedAt + countsForMillis,
      mayStart
    })
    if (own !== undefined) {
      // The first run was committed, but its acknowledgement was lost. Somebody may have decided since.
      const { attempt } = own.send
      const isOurs = own.isClaimed && attempts.every(({ send: each }) => each.attempt <= attempt)
      return isOurs
        ? claimed(own.send, attempt, yield* readEarlier)
        : { _tag: "InTheWay", standing: standingOf(attempts, keyed.digest) }
    }
    if (isInTheWay(standing, asShown)) return { _tag: "InTheWay", standing }
    const earlier = yield* readEarlier
    if (asShown !== undefined && newestOf(earlier) > asShown.newestTold) {
      return { _tag: "InTheWay", standing }
    }
    // It is redeemed even if the limit refuses the claim.
    const redeemed = approval && (yield* redeemIn(query, approval, "approved", ticket))
    if (redeemed !== undefined) {
      return { _tag: "Refused", refusal: { _tag: "ApprovalUsed", usedAs: redeemed } }
    }
    const refusal = maxPerHour === undefined ? undefined : yield* reached(query, maxPerHour, 1)
    if (refusal !== undefined) return { _tag: "Refused", refusal }
    const { attempt } = standing
    const row = yield* rule.claimOne(
      query,
      { ...describe(keyed, request), ...facts, attempt },
      options
    )
    if (row !== undefined) return claimed(row, attempt, earlier)
    const after = yield* rule.attempts(query, [key])
    return { _tag: "InTheWay", standing: standingOf(after, keyed.digest) }
  })

  /**
   * Claims a send within limits, makes its request and settles it. The claim is on disk before `onClaim`, which runs
   * before the request. Only the request is interruptible, where `restore` was made: the end of every claim is told.
   */
  const send = (
    toSend: ToSend,
    onClaim: (claimed: Claimed) => Effect.Effect<void>,
    restore: Restore
  ) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        const { mayStart, options } = yield* newClaim(rule)
        const claimed = yield* transaction(
          (query) => tryToClaim(query, toSend, options, mayStart),
          "some"
        )
        if (claimed._tag !== "Claimed") return claimed
        rule.onClaimed([claimed.claim.id], options.newestId)
        yield* requireNewest(rule, settle, claimed.claim)
        yield* onClaim(claimed)
        const performed = yield* perform(toSend.request, mayStart, restore)
        yield* settle(claimed.claim, performed.stored)
        const sent: SentNow = { ...claimed, ...performed }
        return sent
      })
    )

  const select = ({ caller, isUnknown = false, recipient }: Omit<SendFilter, "limit">) => ({
    condition: `owner = 'server' and (cast($caller as text) is null or caller = $caller)
      and (cast($recipient as text) is null or recipient = $recipient)
      and ${isUnknown ? rule.sql.isUnknown("stored") : "1 = 1"}`,
    params: { caller: caller ?? null, recipient: recipient ?? null }
  })

  /** Returns the last sends, newest first, at most `limit` of them. */
  const recent = ({ limit, ...filter }: SendFilter) => {
    const { condition, params } = select(filter)
    return rule.list(`${condition} order by claimed_at desc, id desc limit $limit`, {
      ...params,
      limit
    })
  }

  /** Returns all attempts of the SMS of a caller's batches, also those of other calls, the first of each first. */
  const ofBatches = (caller: string, batches: ReadonlyArray<string>) =>
    rule.list(
      `key in (
        select key from ${stored} where owner = 'server' and caller = $caller
          and batch in (select value from ${dialect.elements("$batches")})
      ) order by key, attempt`,
      { caller, batches: JSON.stringify(batches) }
    )

  /** Returns the sends in flight that the filter selects, whatever its limit. */
  const inFlight = (filter: Omit<SendFilter, "limit" | "isUnknown">) => {
    const { condition, params } = select(filter)
    return rule.list(`${condition} and ${rule.sql.standing("stored")} = 'in-flight'`, params)
  }

  /** Returns how many sends the filter selects, whatever its limit. */
  const count = (filter: Omit<SendFilter, "limit">) => {
    const { condition, params } = select(filter)
    return rule.count(read, condition, params)
  }

  return {
    count,
    inFlight,
    /** Returns how each key stands, in the order of the keys. */
    look: rule.look,
    ofBatches,
    earlierSends: (caller: string, all: ReadonlyArray<AskedSms>) =>
      earlierIn(search, caller, all, ""),
    recent,
    send,
    /**
     * Redeems an approval without a claim: as declined, or as approved for several claims. Returns how it
     * was redeemed before; undefined if it was not.
     */
    redeem: (approval: Approval, as: UsedAs) =>
      Effect.suspend(() => {
        const ticket = randomUUID()
        return transaction((query) => redeemIn(query, approval, as, ticket))
      }),
    /** Returns how an approval was redeemed before; undefined if it was not. */
    redeemed: ({ nonce }: Approval) =>
      rowOf(read(`select approved from ${approvals} where nonce = $nonce`, { nonce }), usedAsOf),
    /** Returns how the limit of an hour refuses so many SMS now; undefined if they fit. */
    limit: (max: number, messages: number) => reached(read, max, messages)
  }
}

export type ServerSends = ReturnType<typeof makeServer>
