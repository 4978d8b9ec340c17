/** The sends of a server: one claim at a time, within limits, with a person's approval. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Database, Query, Value } from "../database/Database.ts"
import { integer, rowsOf } from "../database/Rows.ts"
import type { JournalError } from "../Errors.ts"
import type { KnownSend, Standing } from "../Send.ts"
import type {
  Approval,
  ClaimRequest,
  ClaimResult,
  SendFilter,
  ServerClaim,
  ServerSends
} from "../ServerSends.ts"
import { longestOf, makeLimits } from "./Limits.ts"
import { beginClaim, type Rule, standingOf } from "./Rule.ts"

/** Undefined: always. */
export const finiteMillis = (duration: Duration.Duration): number | undefined =>
  Duration.isFinite(duration) ? Duration.toMillis(duration) : undefined

/** Whether the key cannot be claimed as it stands. */
const isBlocked = ({ isChanged, state }: Standing, over: ClaimRequest["over"]): boolean => {
  if (state === "rejected") return false
  if (isChanged) return true
  // A late response can have come since a person approved to send over what was unknown.
  if (state === "sent") return over !== "sent"
  return state === "unknown" ? over === "nothing" : state !== "free"
}

export const makeServer = (
  { dialect, lock, read, transaction }: Database,
  rule: Rule
): Omit<ServerSends, "prune"> => {
  const { now, table } = dialect
  const limits = makeLimits(dialect)
  const send = table("send")
  const approvals = table("approval")

  /** Redeems an approval. Returns how it was redeemed before; undefined if it was not. */
  const redeem = Effect.fnUntraced(function* (
    query: Query,
    { expiresAt, nonce }: Approval,
    isApproved: boolean
  ) {
    yield* query(`delete from ${approvals} where expires_at < ${now}`)
    const used = yield* query(
      `insert into ${approvals} (nonce, expires_at, approved) values ($1, $2, $3)
      on conflict (nonce) do nothing returning nonce`,
      nonce,
      expiresAt,
      isApproved ? 1 : 0
    )
    if (used.length > 0) return undefined
    const [before] = yield* rowsOf(
      query(`select approved from ${approvals} where nonce = $1`, nonce),
      (row) => integer(row, "approved")
    )
    return before === 1 ? "approved" : "declined"
  })

  const insert = (query: Query, request: ClaimRequest, turn: number, token: string) => {
    const { caller, key, over, recipient, segments, timeoutMillis, unknownCountsFor } = request
    const claim = {
      key,
      turn,
      request: request.request,
      recipient,
      caller,
      segments,
      unknown_for: finiteMillis(unknownCountsFor),
      again: over === "nothing" ? undefined : (1 as const)
    }
    return rule.claimIn(query, { owner: "server", token, timeoutMillis, claim: [claim] })
  }

  /** Claims in a transaction. Undefined: another process was faster, and the key must be looked at again. */
  const tryToClaim = Effect.fnUntraced(function* (
    query: Query,
    request: ClaimRequest,
    token: string,
    granted: (send: Pick<KnownSend, "id" | "turn">) => ServerClaim
  ): Effect.fn.Return<ClaimResult, JournalError> {
    // All limits, because those of one caller and those of everyone are sums of the same sends.
    if (request.limits.length > 0) yield* lock(query, "limits")
    const entries = yield* rule.entries(query, [request.key])
    const own = entries.find((entry) => entry.token === token)
    const standing = standingOf(
      entries.filter((entry) => entry !== own),
      request.request
    )
    // The first run was committed, but its acknowledgement was lost. This is the second run.
    if (own !== undefined) return { _tag: "Claimed", claim: granted(own.send), standing }
    const blocked = isBlocked(standing, request.over)
    const exceeded = longestOf(
      yield* limits(query, request.limits, {
        caller: request.caller,
        segments: request.segments,
        recipients: [request.recipient]
      })
    )
    const redeemed =
      request.approval === undefined ? undefined : yield* redeem(query, request.approval, true)
    if (blocked) return { _tag: "Blocked", standing }
    if (redeemed !== undefined) {
      return { _tag: "ApprovalUsed", wasApproved: redeemed === "approved" }
    }
    if (exceeded !== undefined) return { _tag: "LimitReached", usage: exceeded }
    const [id] = yield* insert(query, request, standing.turn, token)
    if (id !== undefined) {
      return { _tag: "Claimed", claim: granted({ id, turn: standing.turn }), standing }
    }
    const [after = standing] = yield* rule.look(query, [request])
    return { _tag: "Blocked", standing: after }
  })

  const claim = Effect.fnUntraced(function* (request: ClaimRequest) {
    const mayStart = yield* beginClaim
    const token = crypto.randomUUID()
    const granted = ({ id, turn }: Pick<KnownSend, "id" | "turn">): ServerClaim => ({
      id,
      key: request.key,
      turn,
      token,
      mayStart,
      sentCountsFor: request.sentCountsFor
    })
    return yield* transaction((query) => tryToClaim(query, request, token, granted))
  })

  const select = ({ caller, isUnknown, recipient, since }: Omit<SendFilter, "limit">) => {
    const conditions = [`owner = 'server'`]
    const params: Array<Value> = []
    const where = (condition: (param: string) => string, value: Value) => {
      params.push(value)
      conditions.push(condition(`$${params.length}`))
    }
    if (caller !== undefined) where((param) => `caller = ${param}`, caller)
    if (recipient !== undefined) where((param) => `recipient = ${param}`, recipient)
    if (since !== undefined) where((param) => `claimed_at >= ${param}`, since)
    if (isUnknown === true) conditions.push(rule.isUnknown("stored"))
    return { from: `from ${send} as stored where ${conditions.join(" and ")}`, params }
  }

  const recent: ServerSends["recent"] = ({ limit, ...filter }) => {
    const { from, params } = select(filter)
    const sql = `select ${rule.columns("stored")} ${from}
      order by claimed_at desc, id desc limit $${params.length + 1}`
    return rowsOf(read(sql, ...params, limit), (row) => rule.sendOf(row))
  }

  const count: ServerSends["count"] = (filter) => {
    const { from, params } = select(filter)
    const sql = `select cast(count(*) as ${dialect.integer}) as total ${from}`
    return Effect.map(
      rowsOf(read(sql, ...params), (row) => integer(row, "total")),
      ([total = 0]) => total
    )
  }

  const readOne: ServerSends["read"] = (id) =>
    Effect.map(
      rowsOf(
        read(
          `select ${rule.columns("stored")} from ${send} as stored where id = $1 and owner = 'server'`,
          id
        ),
        (row) => rule.sendOf(row)
      ),
      ([found]) => found
    )

  return {
    claim,
    count,
    look: (sends) => rule.look(read, sends),
    read: readOne,
    recent,
    redeem: (approval, isApproved) => transaction((query) => redeem(query, approval, isApproved)),
    resolve: (id, decision) =>
      Effect.map(
        rule.decide(decision, "id = $2 and owner = 'server'", id),
        (changed) => changed > 0
      ),
    usage: (wanted, amount) => limits(read, wanted, amount)
  }
}
