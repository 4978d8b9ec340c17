/**
 * Approvals: each can be redeemed once.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Approval } from "./Claim.ts"
import type { Dialect, Query } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"

const redemptions = decoderOf(Schema.Struct({ approved: Integer }))

export const makeApprovals = ({ table }: Dialect) => {
  const approvals = table("approval")

  /** Redeems an approval. Returns how it was redeemed before; undefined if it was not. */
  const redeem = Effect.fnUntraced(function* (
    query: Query,
    now: number,
    approval: Approval,
    isApproved: boolean
  ) {
    yield* query(`delete from ${approvals} where expires_at < $1`, now)
    const used = yield* query(
      `insert into ${approvals} (nonce, expires_at, approved) values ($1, $2, $3)
      on conflict (nonce) do nothing returning nonce`,
      approval.nonce,
      approval.expiresAt,
      isApproved ? 1 : 0
    )
    if (used.length > 0) return undefined
    const [before] = yield* redemptions(
      yield* query(`select approved from ${approvals} where nonce = $1`, approval.nonce)
    )
    return before?.approved === 1 ? "approved" : "declined"
  })

  return { redeem }
}
