/**
 * The sends of a server that asks a person: one claim at a time, within limits. Each operation is atomic over
 * all processes that share the journal.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database, Query, Value } from "../database/Database.ts"
import { integer, optional, rowOf, rowsOf, text } from "../database/Rows.ts"
import type { Names } from "../model/Names.ts"
import type { KeyedSend } from "../model/Send.ts"
import { type Facts, type Rule, toleranceMillis } from "../Rule.ts"
import type { Claimed, Gate, OneSend, Restore, ToClaim } from "./OneSend.ts"
import { randomUUID } from "node:crypto"

/** A person's approval, valid for one claim. */
export interface Approval {
  readonly nonce: string
  /** For how long the journal remembers that the approval was used: clocks differ, so it is no time. */
  readonly validFor: Duration.Duration
}

/** A send, with the conditions of its claim. */
export interface ToSend extends Pick<ToClaim<never>, "again" | "request" | "send"> {
  readonly facts: Facts
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

/** Why the server may not claim. */
export type Refused =
  | LimitReached
  /** The approval was used before: as approved, or as declined. */
  | { readonly _tag: "ApprovalUsed"; readonly wasApproved: boolean }

/** Selects sends of the server. */
export interface SendFilter {
  readonly caller?: string
  /** `recipientDigest` of a number. */
  readonly recipient?: string
  /** Only those of unknown outcome. */
  readonly isUnknown?: boolean
  readonly limit: number
}

/** A send of the same text to the same number. */
export interface SameText {
  readonly claimedAt: number
  /** If not, it may have gone out. */
  readonly isSent: boolean
}

const hourMillis = 60 * 60 * 1000

export const makeServer = (
  { dialect, read, search, transaction }: Database,
  rule: Rule,
  { describe }: Names,
  sendOne: OneSend
) => {
  const { integer: int, now, table } = dialect
  const stored = table("send")
  const approvals = table("approval")

  const start = `${now} - ${hourMillis}`

  /**
   * What was claimed while the clock was ahead does not count: it would count until then. SQLite reads a list of
   * states a third slower.
   */
  const counted = `owner = 'server' and claimed_at > ${start} and claimed_at <= ${now} + ${toleranceMillis}
    and (state = 'sent' or state = 'claimed' or state = 'unknown')`

  /** In how many milliseconds so many of them have left the hour. */
  const wait = `select claimed_at - (${start}) as millis from ${stored} where ${counted}
    order by claimed_at, id limit 1 offset $1`

  /** Returns how the limit refuses so many SMS now; undefined if they fit. */
  const reached = Effect.fnUntraced(function* (query: Query, max: number, messages: number) {
    const used = yield* rule.count(query, counted)
    const excess = used + messages - max
    if (excess <= 0) return undefined
    const limit: LimitReached = { _tag: "LimitReached", max, used }
    if (messages > max) return limit
    const millis = yield* rowOf(query(wait, excess - 1), (row) => integer(row, "millis"))
    return { ...limit, retryAfter: Duration.millis(millis ?? 0) }
  })

  /**
   * Returns how another call redeemed the approval; undefined if this one does, or did: if the transaction is repeated
   * after a lost acknowledgement, `token` is the same. It is a row of its own, which only the call that inserted the
   * nonce inserts: both in one statement would let an approval hold twice.
   */
  const redeemIn = Effect.fnUntraced(function* (
    query: Query,
    { nonce, validFor }: Approval,
    isApproved: boolean,
    token: string
  ) {
    yield* query(`delete from ${approvals} where expires_at < ${now}`)
    const redeemed = yield* query(
      `insert into ${approvals} (nonce, expires_at, approved) values ($1, ${now} + cast($2 as ${int}), $3)
      on conflict (nonce) do nothing returning nonce`,
      nonce,
      Duration.toMillis(validFor),
      isApproved ? 1 : 0
    )
    if (redeemed.length > 0) {
      const own = `insert into ${approvals} (nonce, expires_at, approved)
        select $2, expires_at, approved from ${approvals} where nonce = $1`
      yield* query(own, nonce, token)
      return undefined
    }
    const before = yield* rowsOf(
      query(`select nonce, approved from ${approvals} where nonce in ($1, $2)`, nonce, token),
      (row) => ({ name: text(row, "nonce"), isApproved: integer(row, "approved") === 1 })
    )
    if (before.some(({ name }) => name === token)) return undefined
    return before.some((row) => row.isApproved) ? "approved" : "declined"
  })

  /** An approval is redeemed even if the limit refuses the claim. */
  const gateOf = (approval: Approval | undefined, max: number | undefined): Gate<Refused> => ({
    // Of all callers: what one claims counts for the others.
    lock: "limits",
    ask: Effect.fnUntraced(function* (query, token) {
      const redeemed = approval && (yield* redeemIn(query, approval, true, token))
      if (redeemed !== undefined) {
        return { _tag: "ApprovalUsed", wasApproved: redeemed === "approved" } as const
      }
      return max === undefined ? undefined : yield* reached(query, max, 1)
    })
  })

  /** Claims a send within limits, makes its request and settles it. */
  const send = (
    { approval, maxPerHour, ...claim }: ToSend,
    onClaim: (claimed: Claimed) => Effect.Effect<void>,
    restore: Restore
  ) => {
    const isGuarded = maxPerHour !== undefined || approval !== undefined
    const gate = isGuarded ? gateOf(approval, maxPerHour) : undefined
    return sendOne({ ...claim, gate }, onClaim, restore)
  }

  const select = ({ caller, isUnknown, recipient }: Omit<SendFilter, "limit">) => {
    const conditions = [`owner = 'server'`]
    const params: Array<Value> = []
    const where = (condition: (param: string) => string, value: Value) => {
      params.push(value)
      conditions.push(condition(`$${params.length}`))
    }
    if (caller !== undefined) where((param) => `caller = ${param}`, caller)
    if (recipient !== undefined) where((param) => `recipient = ${param}`, recipient)
    if (isUnknown === true) conditions.push(rule.sql.isUnknown("stored"))
    return { condition: conditions.join(" and "), params }
  }

  /** Returns the last sends, newest first, at most `limit` of them. */
  const recent = ({ limit, ...filter }: SendFilter) => {
    const { condition, params } = select(filter)
    const newest = `${condition} order by claimed_at desc, id desc limit $${params.length + 1}`
    return rule.list(newest, ...params, limit)
  }

  /** Returns all attempts of the SMS of a caller's batches, also those of other calls, the first of each first. */
  const ofBatches = (caller: string, batches: ReadonlyArray<string>) =>
    rule.list(
      `key in (
        select key from ${stored} where owner = 'server' and caller = $1
          and batch in (select value from ${dialect.elements("$2")})
      ) order by key, attempt`,
      caller,
      JSON.stringify(batches)
    )

  /**
   * Returns for each SMS the caller's last send of the same text to the same number that went out, or may have: as far
   * back as lists look. `isOther`: under another key.
   */
  const lastOfSameText = Effect.fnUntraced(function* (
    caller: string,
    all: ReadonlyArray<{
      readonly key: string
      readonly request: SendSmsRequest
      readonly isOther: boolean
    }>
  ) {
    const asked = all.map(({ isOther, key, request }, at) => {
      const { content, recipient } = describe({ key, request: key }, request)
      return { at, content, recipient, except_key: isOther ? key : "" }
    })
    // No join: PostgreSQL would read the whole table for it.
    const found = yield* rowsOf(
      search(
        `select fields.at as at, (
          select max(cast(other.claimed_at as text) || ' ' || other.state) from ${stored} as other
          where other.recipient = fields.recipient and ${rule.sql.isSameText("other")}
            and other.owner = 'server' and other.caller = $2 and other.key <> fields.except_key
            and other.state in ('claimed', 'sent', 'unknown')) as last
        from ${dialect.records("$1", `at ${int}`, "recipient text", "content text", "except_key text")}`,
        JSON.stringify(asked),
        caller
      ),
      (row) => [integer(row, "at"), optional(row, "last", text)] as const
    )
    const last = new Map(found)
    return asked.map(({ at }): SameText | undefined => {
      const [claimedAt, state] = last.get(at)?.split(" ") ?? []
      return claimedAt === undefined
        ? undefined
        : { claimedAt: Number(claimedAt), isSent: state === "sent" }
    })
  })

  /** Returns how many sends the filter selects, whatever its limit. */
  const count = (filter: Omit<SendFilter, "limit">) => {
    const { condition, params } = select(filter)
    return rule.count(read, condition, ...params)
  }

  return {
    count,
    /** Returns how each key stands, in the order of the keys. */
    look: (sends: ReadonlyArray<KeyedSend>) => rule.look(read, sends),
    ofBatches,
    lastOfSameText,
    recent,
    send,
    /**
     * Redeems an approval without a claim: as declined, or as approved for several claims. Returns how it
     * was redeemed before; undefined if it was not.
     */
    redeem: (approval: Approval, isApproved: boolean) =>
      Effect.suspend(() => {
        const token = randomUUID()
        return transaction((query) => redeemIn(query, approval, isApproved, token))
      }),
    /** Returns how an approval was redeemed before; undefined if it was not. */
    redeemed: ({ nonce }: Approval) =>
      rowOf(read(`select approved from ${approvals} where nonce = $1`, nonce), (row) =>
        integer(row, "approved") === 1 ? "approved" : "declined"
      ),
    /** Returns how the limit of an hour refuses so many SMS now; undefined if they fit. */
    limit: (max: number, messages: number) => reached(read, max, messages)
  }
}

export type ServerSends = ReturnType<typeof makeServer>
