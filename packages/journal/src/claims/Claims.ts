/**
 * Single sends: one claim for a key at a time, within limits, before the request starts.
 *
 * Each claim is a separate row, and the last row of a key counts. When a send did not go out, its row is
 * deleted, so that the key has its earlier state again.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type {
  Approval,
  Available,
  Claim,
  ClaimRequest,
  Limit,
  Obstacle,
  SendSettlement
} from "./Claim.ts"
import type { Decision } from "../slices/Row.ts"
import type { JournalError } from "../errors/JournalError.ts"
import { makeApprovals } from "./Approvals.ts"
import type { Database, Query } from "../database/Database.ts"
import { limitsLock, makeLimits } from "./Limits.ts"
import { makeListing } from "./Listing.ts"
import { makeSettled } from "./Settlements.ts"
import {
  sentOf,
  columns,
  decodeEntries,
  differingField,
  type Entry,
  expiryOf,
  isExpired,
  sendOf,
  stateOf
} from "./ClaimRows.ts"

/** Returns how an earlier send blocks a new claim; undefined if it does not. */
const obstacleOf = (entry: Entry, request: ClaimRequest, now: number): Obstacle | undefined => {
  switch (stateOf(entry, now)) {
    case "in-flight":
      return { _tag: "InFlight", id: entry.claim }
    case "sent":
      return request.over === "sent" ? undefined : { _tag: "Sent", ...sentOf(entry) }
    case "unknown":
      return request.over === "unknown"
        ? undefined
        : { _tag: "Unknown", id: entry.claim, since: entry.claimed_at }
    case "rejected":
      return { _tag: "Rejected" }
    case "resend":
      return undefined
  }
}

export const makeClaims = (database: Database) => {
  const { dialect, lock, query: ask, transaction } = database
  const once = dialect.table("once")
  const approvals = makeApprovals(dialect)
  const limits = makeLimits(dialect)

  const last = Effect.fnUntraced(function* (query: Query, key: string) {
    const found = yield* query(
      `select ${columns} from ${once} where key = $1 order by id desc limit 1`,
      key
    )
    const [entry] = yield* decodeEntries(found)
    return entry
  })

  /**
   * Returns the claim that blocks others: the last one that is not expired and not freed by a `"resend"`.
   */
  const blocking = Effect.fnUntraced(function* (query: Query, now: number, key: string) {
    const found = yield* query(
      `select ${columns} from ${once} where key = $1 and state <> 'resend'
        and (expires_at is null or expires_at > $2) order by id desc limit 1`,
      key,
      now
    )
    const [entry] = yield* decodeEntries(found)
    return entry
  })

  /** Returns the last sent SMS of a key that still blocks others. */
  const lastSent = Effect.fnUntraced(function* (query: Query, now: number, key: string) {
    const found = yield* query(
      `select ${columns} from ${once} where key = $1 and state = 'sent'
        and (expires_at is null or expires_at > $2) order by id desc limit 1`,
      key,
      now
    )
    const [entry] = yield* decodeEntries(found)
    return entry === undefined ? {} : { first: sentOf(entry) }
  })

  /** Returns the earlier send that blocks the claim. `newest` is the last row of its key. */
  const earlierSend = Effect.fnUntraced(function* (
    query: Query,
    now: number,
    request: ClaimRequest,
    newest: Entry
  ): Effect.fn.Return<Obstacle | undefined, JournalError> {
    const expired = isExpired(newest, now)
    const field = expired ? undefined : differingField(newest, request.fields)
    if (field !== undefined) return { _tag: "Conflict", field }
    const entry =
      expired || newest.state === "resend" ? yield* blocking(query, now, request.key) : newest
    const earlier = entry === undefined ? undefined : obstacleOf(entry, request, now)
    return earlier?._tag === "Unknown"
      ? { ...earlier, ...(yield* lastSent(query, now, request.key)) }
      : earlier
  })

  const insert = Effect.fnUntraced(function* (
    query: Query,
    now: number,
    id: string,
    request: ClaimRequest
  ) {
    const staleAt = now + Duration.toMillis(request.staleAfter)
    return yield* query(
      `insert into ${once} (claim, key, principal, fields, state, claimed_at, stale_at, expires_at)
      values ($1, $2, $3, $4, 'claimed', $5, $6, $7)`,
      id,
      request.key,
      request.principal,
      JSON.stringify(request.fields),
      now,
      staleAt,
      expiryOf(staleAt, request.holdUnknown)
    )
  })

  const unresolved = Effect.fnUntraced(function* (key: string) {
    const now = yield* Clock.currentTimeMillis
    const found = yield* ask(
      `select ${columns} from ${once} where key = $1 and state in ('claimed', 'unknown')`,
      key
    )
    return (yield* decodeEntries(found)).filter((entry) => stateOf(entry, now) === "unknown").length
  })

  const look = Effect.fnUntraced(function* (
    request: ClaimRequest
  ): Effect.fn.Return<Available | Obstacle, JournalError> {
    const now = yield* Clock.currentTimeMillis
    const newest = yield* last(ask, request.key)
    const earlier = newest === undefined ? undefined : yield* earlierSend(ask, now, request, newest)
    if (earlier !== undefined) return earlier
    const sums = yield* limits.sums(ask, now, request.limits)
    return (
      (yield* limits.obstacle(ask, now, request.limits, sums)) ?? {
        _tag: "Available",
        unresolved: newest !== undefined && (yield* unresolved(request.key)) > 0
      }
    )
  })

  const claim = (request: ClaimRequest) =>
    Effect.suspend(() => {
      const id = crypto.randomUUID()
      return transaction((query) =>
        Effect.gen(function* () {
          yield* lock(query, `key:${request.key}`)
          if (request.limits.length > 0) yield* lock(query, limitsLock)
          const now = yield* Clock.currentTimeMillis
          const newest = yield* last(query, request.key)
          const staleAt = now + Duration.toMillis(request.staleAfter)
          const granted = {
            _tag: "Claimed",
            claim: {
              id,
              staleAt,
              holdSent: request.holdSent,
              holdUnknown: request.holdUnknown
            }
          } as const
          // The first run was committed, but its acknowledgement was lost. This is the second run.
          if (newest?.claim === id) return granted
          const earlier =
            newest === undefined ? undefined : yield* earlierSend(query, now, request, newest)
          const sums = yield* limits.sums(query, now, request.limits)
          const obstacle = earlier ?? (yield* limits.obstacle(query, now, request.limits, sums))
          const redeemed =
            request.approval === undefined
              ? undefined
              : yield* approvals.redeem(query, now, request.approval, true)
          // An earlier send tells the caller more than that the approval was redeemed.
          if (redeemed !== undefined && earlier === undefined) {
            return { _tag: "ApprovalUsed", approved: redeemed === "approved" } as const
          }
          if (obstacle !== undefined) return obstacle
          const first = request.over === "sent" ? yield* lastSent(query, now, request.key) : {}
          yield* insert(query, now, id, request)
          yield* limits.count(query, now, id, request.limits, sums)
          return { ...granted, ...first }
        })
      )
    })

  const settled = makeSettled(dialect, lock, limits)

  const settle = (claimed: Claim, settlement: SendSettlement) =>
    transaction((query) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => settled(query, claimed, now, settlement))
    ).pipe(Effect.asVoid)

  /** Applies a person's decision to a send that reads as unknown. Returns whether it did. */
  const decide = (entryOf: (query: Query) => ReturnType<typeof last>, decision: Decision) =>
    transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const entry = yield* entryOf(query)
        if (entry === undefined || stateOf(entry, now) !== "unknown") return false
        const decided = yield* query(
          `update ${once} set state = $2, settled_at = $3
          where claim = $1 and state in ('claimed', 'unknown') returning claim`,
          entry.claim,
          decision,
          now
        )
        if (decision === "resend") {
          yield* lock(query, limitsLock)
          yield* limits.uncount(query, entry.claim)
        }
        return decided.length > 0
      })
    )

  const byId = (id: string) =>
    Effect.fnUntraced(function* (query: Query) {
      const [entry] = yield* decodeEntries(
        yield* query(`select ${columns} from ${once} where claim = $1`, id)
      )
      return entry
    })

  const read = Effect.fnUntraced(function* (id: string) {
    const entry = yield* byId(id)(ask)
    return entry === undefined ? undefined : sendOf(entry, yield* Clock.currentTimeMillis)
  })

  return {
    claim,
    look,
    read,
    ...makeListing(database),
    redeem: (approval: Approval, isApproved: boolean) =>
      transaction((query) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          approvals.redeem(query, now, approval, isApproved)
        )
      ),
    resolveId: (id: string, decision: Decision) => decide(byId(id), decision),
    resolveKey: (key: string, decision: Decision) => decide((query) => last(query, key), decision),
    settle,
    unresolved,
    used: (wanted: ReadonlyArray<Limit>) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => limits.sums(ask, now, wanted)).pipe(
        Effect.map((sums) => wanted.map(({ scope }) => sums.get(scope)?.sum ?? 0))
      )
  }
}
