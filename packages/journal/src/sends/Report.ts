/** What a campaign adds up to. */
import * as Effect from "effect/Effect"
import type { CampaignCounts, CampaignSends, OutcomesAt } from "../CampaignSends.ts"
import type { Database } from "../database/Database.ts"
import { integer, oneOf, optional, rowsOf, text } from "../database/Rows.ts"
import { rangeOf } from "./Names.ts"
import { makeRule, precedence } from "./Rule.ts"

const none: CampaignCounts = {
  "in-flight": 0,
  sent: 0,
  unknown: 0,
  rejected: 0,
  closed: 0,
  freed: 0
}

const inRange = (campaign: string) => {
  const { from, to } = rangeOf(campaign)
  return [from, to] as const
}

export const makeReport = ({
  dialect,
  read
}: Database): Pick<CampaignSends, "counts" | "outcomes" | "reasons"> => {
  const { integer: int, table } = dialect
  const { standing } = makeRule(dialect)
  const send = table("send")

  /** A claim that nobody settled ended when it was made. */
  const facts = (row: string) =>
    `${standing(row)} as standing, coalesce(${row}.settled_at, ${row}.claimed_at) as at, ${row}.reason`

  const ofIt = `key > $1 and key < $2 and owner = 'campaign'`
  const again = `select key from ${send} where key > $1 and key < $2 and turn > 0`
  const order = precedence.map((state, index) => `when '${state}' then ${index}`).join(" ")

  /**
   * One row for each key, as it stands. Only the few keys with several turns need to be compared.
   */
  const keys = `(
    select ${facts("stored")} from ${send} as stored where ${ofIt} and key not in (${again})
    union all
    select standing, at, reason from (
      select ${facts("stored")}, row_number() over (
        partition by key
        order by case ${standing("stored")} ${order} else ${precedence.length} end, turn desc
      ) as place
      from ${send} as stored where ${ofIt} and key in (${again})
    ) as turns where place = 1
  ) as known`

  const counts = Effect.fnUntraced(function* (campaign: string) {
    const found = yield* rowsOf(
      read(
        `select standing, cast(count(*) as ${int}) as total, min(at) as first_at, max(at) as last_at
        from ${keys} group by standing`,
        ...inRange(campaign)
      ),
      (row) => ({
        state: oneOf(row, "standing", [
          "in-flight",
          "sent",
          "unknown",
          "rejected",
          "closed",
          "freed"
        ]),
        total: integer(row, "total"),
        firstAt: integer(row, "first_at"),
        lastAt: integer(row, "last_at")
      })
    )
    const ended = found.filter(({ state }) => state !== "in-flight" && state !== "freed")
    const totals = Object.fromEntries(found.map(({ state, total }) => [state, total]))
    return {
      ...none,
      ...totals,
      ...(ended.length === 0
        ? {}
        : {
            firstAt: Math.min(...ended.map(({ firstAt }) => firstAt)),
            lastAt: Math.max(...ended.map(({ lastAt }) => lastAt))
          })
    }
  })

  const outcomes: CampaignSends["outcomes"] = (campaign, { offsetMillis, widthMillis }) => {
    const step = `(at + cast($3 as ${int})) / cast($4 as ${int})`
    const countOf = (state: string) =>
      `cast(sum(case when standing = '${state}' then 1 else 0 end) as ${int}) as ${state}`
    return rowsOf(
      read(
        `select ${step} as step, ${countOf("sent")}, ${countOf("rejected")}, ${countOf("unknown")}
        from ${keys} where standing in ('sent', 'rejected', 'unknown') group by 1 order by 1`,
        ...inRange(campaign),
        offsetMillis,
        widthMillis
      ),
      (row): OutcomesAt => ({
        at: integer(row, "step") * widthMillis - offsetMillis,
        sent: integer(row, "sent"),
        rejected: integer(row, "rejected"),
        unknown: integer(row, "unknown")
      })
    )
  }

  const reasons: CampaignSends["reasons"] = (campaign) =>
    rowsOf(
      read(
        `select standing, reason, cast(count(*) as ${int}) as total
        from ${keys} where standing in ('rejected', 'unknown')
        group by standing, reason order by total desc, standing, reason`,
        ...inRange(campaign)
      ),
      (row) => {
        const reason = optional(row, "reason", text)
        return {
          state: oneOf(row, "standing", ["rejected", "unknown"]),
          ...(reason === undefined ? {} : { reason }),
          count: integer(row, "total")
        }
      }
    )

  return { counts, outcomes, reasons }
}
