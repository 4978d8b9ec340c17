/** The sends of all owners, for the person who decides about them. */
import type { Database, Dialect } from "../database/Database.ts"
import { integer, rowsOf, text } from "../database/StoredRows.ts"
import type { Rule } from "../Rule.ts"

interface Filter {
  readonly isUnknown: boolean
  /** The `recipientDigest` of each spelling of a number. Absent: everybody. */
  readonly recipients: ReadonlyArray<string> | undefined
}

/** The sends to recipients, or to everybody. */
const to = ({ elements }: Dialect, recipients: Filter["recipients"]): ReadonlyArray<string> =>
  recipients === undefined ? [] : [`recipient in (select value from ${elements("$recipients")})`]

const paramsOf = (recipients: Filter["recipients"]) => ({
  recipients: JSON.stringify(recipients ?? [])
})

export const makeOperator = (
  { checkServer, checkWhole, dialect, read }: Database,
  { list, sql }: Rule
) => ({
  /** Returns sends, newest first: those of the server and of programs; with a filter, those of all owners that fit it. */
  list: ({ isUnknown, recipients }: Filter) => {
    const conditions = [
      isUnknown || recipients !== undefined ? "1 = 1" : "owner <> 'campaign'",
      ...(isUnknown ? [sql.isUnknown("stored")] : []),
      ...to(dialect, recipients)
    ]
    return list(
      `${conditions.join(" and ")} order by claimed_at desc, id desc`,
      paramsOf(recipients)
    )
  },
  /** Returns the sends in flight, or that were when their process ended: those may become unknown. */
  inFlight: (recipients: Filter["recipients"]) =>
    list(
      [`${sql.standing("stored")} = 'in-flight'`, ...to(dialect, recipients)].join(" and "),
      paramsOf(recipients)
    ),
  /** Fails if another database server took over, whose journal may lack what was sent last. */
  checkServer,
  /** Fails if the journal is damaged: what cannot be read of it reads like what is not there. */
  checkWhole,
  /** Returns the names of the campaigns that were not pruned, in the order of the alphabet. */
  campaigns: rowsOf(
    read(`select name from ${dialect.table("campaign")} where pruned_at is null order by name`),
    (row) => text(row, "name")
  ),
  /** Returns the campaigns that were pruned, the last one first. */
  pruned: rowsOf(
    read(
      `select name, pruned_at from ${dialect.table("campaign")} where pruned_at is not null order by pruned_at desc`
    ),
    (row) => ({ name: text(row, "name"), prunedAt: integer(row, "pruned_at") })
  )
})

export type OperatorSends = ReturnType<typeof makeOperator>
