/** The sends of all owners, for the person who decides about them. */
import type * as Effect from "effect/Effect"
import type { Database } from "../database/Database.ts"
import { rowsOf, sendOf, text } from "../database/Rows.ts"
import type { JournalError } from "../model/Errors.ts"
import type { KnownSend } from "../model/Send.ts"
import type { Rule } from "../Rule.ts"

export interface OperatorSends {
  /**
   * Returns sends, newest first: those of the server and of programs; with a filter, those of all owners that fit
   * it. `recipient` is the `recipientDigest` of a number.
   */
  readonly list: (filter: {
    readonly isUnknown: boolean
    readonly recipient: string | undefined
  }) => Effect.Effect<ReadonlyArray<KnownSend>, JournalError>
  /** Returns the names of the campaigns that were not pruned, in the order of the alphabet. */
  readonly campaigns: Effect.Effect<ReadonlyArray<string>, JournalError>
}

export const makeOperator = ({ dialect, read }: Database, { sql }: Rule): OperatorSends => {
  const send = dialect.table("send")
  return {
    list: ({ isUnknown, recipient }) => {
      const conditions = [
        isUnknown || recipient !== undefined ? "1 = 1" : "owner <> 'campaign'",
        ...(isUnknown ? [sql.isUnknown("stored")] : []),
        ...(recipient === undefined ? [] : ["recipient = $1"])
      ]
      const statement = `select ${sql.columns("stored")} from ${send} as stored
        where ${conditions.join(" and ")} order by claimed_at desc, id desc`
      return rowsOf(read(statement, ...(recipient === undefined ? [] : [recipient])), sendOf)
    },
    campaigns: rowsOf(
      read(`select name from ${dialect.table("campaign")} where pruned_at is null order by name`),
      (row) => text(row, "name")
    )
  }
}
