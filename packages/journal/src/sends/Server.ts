/**
 * The sends of a server that asks a person: one claim at a time, within limits. Each operation is atomic over
 * all processes that share the journal.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database, Query, Value } from "../database/Database.ts"
import { integer, rowOf, rowsOf, sendOf } from "../database/Rows.ts"
import type { JournalError } from "../model/Errors.ts"
import type { Claim, KeyedSend, KnownSend, Standing } from "../model/Send.ts"
import { type Amount, type Limit, longestOf, makeLimits, type Usage } from "./Limits.ts"
import type { Names } from "../model/Names.ts"
import { beginClaim, type NewClaim, type Rule, standingOf } from "../Rule.ts"

/** A person's approval, valid for one claim. */
export interface Approval {
  readonly nonce: string
  /** For how long the journal remembers that the approval was used: clocks differ, so it is no time. */
  readonly validFor: Duration.Duration
}

/** A request for a claim, with its conditions. */
export interface ClaimRequest {
  /** Its key is stored as it is given: a keyed digest without a slash, so that it has no number and no text. */
  readonly send: KeyedSend
  readonly request: SendSmsRequest
  readonly caller: string
  /** The batch of which it is a row. */
  readonly batch?: string | undefined
  readonly segments: number
  /** For how long a sent SMS counts as a repetition for who asks. */
  readonly window: Duration.Duration
  /** For how long it counts at least for everybody once it was sent: that of a batch, for a day. */
  readonly countsFor?: Duration.Duration
  /** The attempt that a person approved, and what stood in its way. Absent: nothing may. */
  readonly again?: Pick<Standing, "attempt" | "state">
  readonly limits: ReadonlyArray<Limit>
  readonly approval?: Approval
  /** How long one request may take: `timeoutMillis` of the client. */
  readonly timeoutMillis: number
}

/** The right to make one send of the server. */
export interface ServerClaim extends Claim {
  readonly id: number
  /** Whether its request may still start. Pass it to `MayStart`. */
  readonly mayStart: () => boolean
}

/** How a request for a claim ended. */
export type ClaimResult =
  /** `standing` is how the key stood before: what the new SMS is sent over. */
  | { readonly _tag: "Claimed"; readonly claim: ServerClaim; readonly standing: Standing }
  /** The key cannot be claimed as it stands. */
  | { readonly _tag: "Blocked"; readonly standing: Standing }
  /** The exceeded limit that takes longest to fit. */
  | { readonly _tag: "LimitReached"; readonly usage: Usage }
  /** The approval was used before: as approved, or as declined. */
  | { readonly _tag: "ApprovalUsed"; readonly wasApproved: boolean }

/** Selects sends of the server. */
export interface SendFilter {
  readonly caller?: string
  /** `recipientDigest` of a number. */
  readonly recipient?: string
  readonly batch?: string
  /** Only those that were claimed at this time or later, in milliseconds since 1970. */
  readonly since?: number
  /** Only those of unknown outcome. */
  readonly isUnknown?: boolean
  readonly limit: number
}

/** Null: always. */
const millisOf = (window: Duration.Duration): number | null =>
  Duration.isFinite(window) ? Duration.toMillis(window) : null

/** Whether the key cannot be claimed as it stands. An approval holds for what was asked, and nothing else. */
const isBlocked = (standing: Standing, again: ClaimRequest["again"]): boolean => {
  const { attempt, isChanged, state } = standing
  if (again !== undefined) {
    return isChanged || state === "in-flight" || state !== again.state || attempt !== again.attempt
  }
  return state !== "rejected" && (isChanged || state !== "free")
}

export const makeServer = (
  { dialect, lock, read, transaction }: Database,
  rule: Rule,
  { describe }: Names
) => {
  const { integer: int, now, table } = dialect
  const limits = makeLimits(dialect)
  const send = table("send")
  const approvals = table("approval")

  const redeemIn = Effect.fnUntraced(function* (
    query: Query,
    { nonce, validFor }: Approval,
    isApproved: boolean
  ) {
    yield* query(`delete from ${approvals} where expires_at < ${now}`)
    const used = yield* query(
      `insert into ${approvals} (nonce, expires_at, approved) values ($1, ${now} + cast($2 as ${int}), $3)
      on conflict (nonce) do nothing returning nonce`,
      nonce,
      Duration.toMillis(validFor),
      isApproved ? 1 : 0
    )
    if (used.length > 0) return undefined
    const before = yield* rowOf(
      query(`select approved from ${approvals} where nonce = $1`, nonce),
      (row) => integer(row, "approved")
    )
    return before === 1 ? "approved" : "declined"
  })

  const claimOf = (given: ClaimRequest): Omit<NewClaim, "attempt"> => ({
    ...describe(given.send, given.request),
    caller: given.caller,
    batch: given.batch,
    segments: given.segments,
    counts_for: given.countsFor && Duration.toMillis(given.countsFor)
  })

  /** Claims in a transaction. If another process was faster, the key is looked at again. */
  const tryToClaim = Effect.fnUntraced(function* (
    query: Query,
    request: ClaimRequest,
    token: string,
    granted: (send: Pick<KnownSend, "attempt" | "id">) => ServerClaim
  ): Effect.fn.Return<ClaimResult, JournalError> {
    // All limits, because those of one caller and those of everyone are sums of the same sends.
    if (request.limits.length > 0) yield* lock(query, "limits")
    const facts = claimOf(request)
    const window = millisOf(request.window)
    yield* rule.lockSends(query, "stored.key = $1", [facts.key])
    const attempts = yield* rule.attempts(query, [facts.key], window)
    const own = attempts.find((attempt) => attempt.token === token)
    const standing = standingOf(
      attempts.filter((attempt) => attempt !== own),
      facts.request
    )
    // The first run was committed, but its acknowledgement was lost. This is the second run.
    if (own !== undefined) return { _tag: "Claimed", claim: granted(own.send), standing }
    const blocked = isBlocked(standing, request.again)
    const exceeded = longestOf(
      yield* limits(query, request.limits, {
        caller: request.caller,
        messages: 1,
        segments: request.segments
      })
    )
    const redeemed =
      request.approval === undefined ? undefined : yield* redeemIn(query, request.approval, true)
    const isFree = standing.state === "free" || standing.state === "rejected"
    if (blocked && !isFree) return { _tag: "Blocked", standing }
    if (redeemed !== undefined) {
      return { _tag: "ApprovalUsed", wasApproved: redeemed === "approved" }
    }
    if (blocked) return { _tag: "Blocked", standing }
    if (exceeded !== undefined) return { _tag: "LimitReached", usage: exceeded }
    const [id] = yield* rule.claimIn(query, {
      token,
      timeoutMillis: request.timeoutMillis,
      claim: [{ ...facts, attempt: standing.attempt }]
    })
    if (id !== undefined) {
      return { _tag: "Claimed", claim: granted({ id, attempt: standing.attempt }), standing }
    }
    const [after = standing] = yield* rule.look(query, [request.send], window)
    return { _tag: "Blocked", standing: after }
  })

  /**
   * Claims the right to make one send. The claim is on disk before this returns; after a failure, nothing
   * may be sent. An approval is redeemed even if a limit refuses the claim. What was sent or may have been
   * is told rather than that the approval was used.
   */
  const claim = Effect.fnUntraced(function* (request: ClaimRequest) {
    const mayStart = yield* beginClaim
    const token = crypto.randomUUID()
    const granted = ({ attempt, id }: Pick<KnownSend, "attempt" | "id">): ServerClaim => ({
      id,
      key: request.send.key,
      attempt,
      token,
      mayStart
    })
    return yield* transaction((query) => tryToClaim(query, request, token, granted))
  })

  const select = ({ batch, caller, isUnknown, recipient, since }: Omit<SendFilter, "limit">) => {
    const conditions = [`owner = 'server'`]
    const params: Array<Value> = []
    const where = (condition: (param: string) => string, value: Value) => {
      params.push(value)
      conditions.push(condition(`$${params.length}`))
    }
    if (caller !== undefined) where((param) => `caller = ${param}`, caller)
    if (recipient !== undefined) where((param) => `recipient = ${param}`, recipient)
    if (batch !== undefined) where((param) => `batch = ${param}`, batch)
    if (since !== undefined) where((param) => `claimed_at >= ${param}`, since)
    if (isUnknown === true) conditions.push(rule.sql.isUnknown("stored"))
    return { from: `from ${send} as stored where ${conditions.join(" and ")}`, params }
  }

  /** Returns the last sends, newest first, at most `limit` of them. */
  const recent = ({ limit, ...filter }: SendFilter) => {
    const { from, params } = select(filter)
    const sql = `select ${rule.sql.columns("stored")} ${from}
      order by claimed_at desc, id desc limit $${params.length + 1}`
    return rowsOf(read(sql, ...params, limit), sendOf)
  }

  /** Returns how many sends the filter selects, whatever its limit. */
  const count = (filter: Omit<SendFilter, "limit">) => {
    const { from, params } = select(filter)
    const sql = `select cast(count(*) as ${dialect.integer}) as total ${from}`
    return Effect.map(
      rowOf(read(sql, ...params), (row) => integer(row, "total")),
      (total = 0) => total
    )
  }

  /** Returns a send; undefined if it left nothing, or was pruned. */
  const readOne = (id: number) =>
    rowOf(
      read(
        `select ${rule.sql.columns("stored")} from ${send} as stored where id = $1 and owner = 'server'`,
        id
      ),
      sendOf
    )

  return {
    claim,
    count,
    /**
     * Returns how each key stands for who looks with this window, in the order of the keys: so long a sent SMS
     * counts as a repetition.
     */
    look: (sends: ReadonlyArray<KeyedSend>, window: Duration.Duration) =>
      rule.look(read, sends, millisOf(window)),
    read: readOne,
    recent,
    /**
     * Redeems an approval without a claim: as declined, or as approved for several claims. Returns how it
     * was redeemed before; undefined if it was not.
     */
    redeem: (approval: Approval, isApproved: boolean) =>
      transaction((query) => redeemIn(query, approval, isApproved)),
    /** Returns how far each limit is used, in the order of the limits. */
    usage: (wanted: ReadonlyArray<Limit>, amount: Amount) => limits(read, wanted, amount)
  }
}

export type ServerSends = ReturnType<typeof makeServer>
