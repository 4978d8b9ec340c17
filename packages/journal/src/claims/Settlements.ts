/**
 * Settlements: how the outcome of a send is written to its row.
 */
import * as Effect from "effect/Effect"
import type { Claim, SendSettlement, SentMessage } from "./Claim.ts"
import { expiryOf } from "./ClaimRows.ts"
import type { Database, Dialect, Query } from "../database/Database.ts"
import type { JournalError } from "../errors/JournalError.ts"
import { limitsLock, type makeLimits } from "./Limits.ts"

export const makeSettled = (
  { table }: Dialect,
  lock: Database["lock"],
  limits: ReturnType<typeof makeLimits>
) => {
  const once = table("once")

  const settleSent = (
    query: Query,
    { holdSent, id }: Claim,
    now: number,
    messages: ReadonlyArray<SentMessage>
  ) => {
    // The service's response also contains the phone number, which must not be stored.
    const kept = messages.map(({ message_id, status }) => ({ message_id, status }))
    return query(
      `update ${once} set state = 'sent', messages = $2, settled_at = $3, expires_at = $4
      where claim = $1 and (state <> 'sent' or messages is null)`,
      id,
      JSON.stringify(kept),
      now,
      expiryOf(now, holdSent)
    )
  }

  const settleUnknown = (query: Query, { holdUnknown, id }: Claim, now: number) =>
    query(
      `update ${once} set state = 'unknown', settled_at = $2, expires_at = $3
      where claim = $1 and state = 'claimed'`,
      id,
      now,
      expiryOf(now, holdUnknown)
    )

  const settleNotSent = Effect.fnUntraced(function* (query: Query, { id }: Claim) {
    const gone = yield* query(
      `delete from ${once} where claim = $1 and state in ('claimed', 'unknown', 'resend')
      returning claim`,
      id
    )
    if (gone.length === 0) return
    yield* lock(query, limitsLock)
    yield* limits.uncount(query, id)
  })

  return (
    query: Query,
    claimed: Claim,
    now: number,
    settlement: SendSettlement
  ): Effect.Effect<unknown, JournalError> => {
    switch (settlement.outcome) {
      case "sent":
        return settleSent(query, claimed, now, settlement.messages)
      case "unknown":
        return settleUnknown(query, claimed, now)
      case "not-sent":
        return settleNotSent(query, claimed)
    }
  }
}
