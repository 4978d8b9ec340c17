/** The sends of all owners, for the person who decides about them. */
import type { Database } from "../database/Database.ts"
import { rowsOf, text } from "../database/StoredRows.ts"
import type { Rule } from "../Rule.ts"

interface Filter {
  readonly isUnknown: boolean
  readonly recipient: string | undefined
}

/** The sends to a recipient, or to everybody. */
const to = (recipient: string | undefined): ReadonlyArray<string> =>
  recipient === undefined ? [] : ["recipient = $recipient"]

export const makeOperator = ({ checkServer, dialect, read }: Database, { list, sql }: Rule) => ({
  /**
   * Returns sends, newest first: those of the server and of programs; with a filter, those of all owners that fit
   * it. `recipient` is the `recipientDigest` of a number.
   */
  list: ({ isUnknown, recipient }: Filter) => {
    const conditions = [
      isUnknown || recipient !== undefined ? "1 = 1" : "owner <> 'campaign'",
      ...(isUnknown ? [sql.isUnknown("stored")] : []),
      ...to(recipient)
    ]
    return list(`${conditions.join(" and ")} order by claimed_at desc, id desc`, {
      recipient: recipient ?? null
    })
  },
  /**
   * Returns the sends in flight, or that were when their process ended: those may become unknown. With `recipient`, those
   * to it.
   */
  inFlight: (recipient: string | undefined) =>
    list(
      ["stored.state = 'claimed'", `not ${sql.isUnknown("stored")}`, ...to(recipient)].join(
        " and "
      ),
      { recipient: recipient ?? null }
    ),
  /** Fails if another database server took over, whose journal may lack what was sent last. */
  checkServer,
  /** Returns the names of the campaigns that were not pruned, in the order of the alphabet. */
  campaigns: rowsOf(
    read(`select name from ${dialect.table("campaign")} where pruned_at is null order by name`),
    (row) => text(row, "name")
  )
})

export type OperatorSends = ReturnType<typeof makeOperator>
