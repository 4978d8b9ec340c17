/** What is forgotten. Whole keys are: a turn that is left alone would say something else than its key. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { CampaignSends } from "../CampaignSends.ts"
import type { Database, Query } from "../database/Database.ts"
import { integer as integerOf, rowsOf, text } from "../database/Rows.ts"
import { rangeOf } from "./Names.ts"
import { makeRule } from "./Rule.ts"

interface Pruned {
  readonly olderThan: Duration.Duration
  readonly unknown: boolean
}

const limitsOf = ({ olderThan, unknown }: Pruned) =>
  [Duration.toMillis(olderThan), unknown ? 1 : 0] as const

export const makePrune = ({ dialect, transaction }: Database) => {
  const { integer, now, table } = dialect
  const rule = makeRule(dialect)
  const send = table("send")
  const campaigns = table("campaign")

  /** Whether nothing happened to sends for `$1` milliseconds, and `$2` allows what they are. */
  const isOver = `max(coalesce(stored.settled_at, stored.stale_at)) <= ${now} - cast($1 as ${integer})
    and sum(case when ${rule.standing("stored")} = 'in-flight' then 1 else 0 end) = 0
    and (cast($2 as ${integer}) = 1 or sum(case when ${rule.isUnknown("stored")} then 1 else 0 end) = 0)`

  /** A send that still counts as a repetition is kept. */
  const single = (owner: "program" | "server") => (what: Pruned) =>
    Effect.map(
      transaction((query) =>
        query(
          `delete from ${send} where key in (
            select key from ${send} as stored where owner = '${owner}' group by key
            having ${isOver} ${owner === "server" ? `and sum(case when ${rule.counts("stored")} then 1 else 0 end) = 0` : ""}
          ) and owner = '${owner}' returning id`,
          ...limitsOf(what)
        )
      ),
      ({ length }) => length
    )

  const pruneOne = Effect.fnUntraced(function* (query: Query, campaign: string, what: Pruned) {
    const { from, to } = rangeOf(campaign)
    const [over] = yield* rowsOf(
      query(
        `select case when count(*) = 0 or ${isOver} then 1 else 0 end as is_over
        from ${send} as stored where key > $3 and key < $4 and owner = 'campaign'`,
        ...limitsOf(what),
        from,
        to
      ),
      (row) => integerOf(row, "is_over")
    )
    if (over !== 1) return undefined
    // First the name: a claim that waits for this transaction is refused after it.
    yield* query(`update ${campaigns} set pruned_at = ${now} where name = $1`, campaign)
    const gone = yield* query(
      `delete from ${send} where key > $1 and key < $2 and owner = 'campaign' returning id`,
      from,
      to
    )
    return gone.length
  })

  const pruneCampaigns: CampaignSends["prune"] = ({ campaign, ...what }) =>
    transaction((query) =>
      Effect.gen(function* () {
        const names = yield* rowsOf(
          query(
            `select name from ${campaigns} where pruned_at is null and name = coalesce($1, name)
              and started_at <= ${now} - cast($2 as ${integer}) order by name`,
            campaign ?? null,
            Duration.toMillis(what.olderThan)
          ),
          (row) => text(row, "name")
        )
        const pruned: Array<string> = []
        let sends = 0
        for (const name of names) {
          const gone = yield* pruneOne(query, name, what)
          if (gone === undefined) continue
          pruned.push(name)
          sends += gone
        }
        return { campaigns: pruned, sends }
      })
    )

  return { campaigns: pruneCampaigns, program: single("program"), server: single("server") }
}
