/** The sends of all owners, for the person who decides about them. */
import * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"
import { integer, rowOf, rowsOf, sendOf, text } from "../database/Rows.ts"
import type { Rule } from "../Rule.ts"

interface Filter {
  readonly isUnknown: boolean
  readonly recipient: string | undefined
}

export const makeOperator = ({ dialect, read }: Database, { sql }: Rule) => {
  const send = dialect.table("send")
  return {
    /**
     * Returns sends, newest first: those of the server and of programs; with a filter, those of all owners that fit
     * it. `recipient` is the `recipientDigest` of a number.
     */
    list: ({ isUnknown, recipient }: Filter) => {
      const conditions = [
        isUnknown || recipient !== undefined ? "1 = 1" : "owner <> 'campaign'",
        ...(isUnknown ? [sql.isUnknown("stored")] : []),
        ...(recipient === undefined ? [] : ["recipient = $1"])
      ]
      const statement = `select ${sql.columns("stored")} from ${send} as stored
        where ${conditions.join(" and ")} order by claimed_at desc, id desc`
      return rowsOf(read(statement, ...(recipient === undefined ? [] : [recipient])), sendOf)
    },
    /** Returns how many sends are in flight, or were when their process ended: some may become unknown. */
    inFlight: Effect.map(
      rowOf(
        read(`select cast(count(*) as ${dialect.integer}) as sends from ${send} as stored
          where stored.state = 'claimed' and not ${sql.isUnknown("stored")}`),
        (row) => integer(row, "sends")
      ),
      (sends = 0) => sends
    ),
    /** Returns the names of the campaigns that were not pruned, in the order of the alphabet. */
    campaigns: rowsOf(
      read(`select name from ${dialect.table("campaign")} where pruned_at is null order by name`),
      (row) => text(row, "name")
    )
  }
}

export type OperatorSends = ReturnType<typeof makeOperator>
