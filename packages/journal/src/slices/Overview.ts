/**
 * What the journal knows about campaigns before a person decides: all campaigns, and what became of rows
 * that are about to be loaded.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CampaignSummary, EarlierSends, KnownRow, RowComparison } from "./CampaignJournal.ts"
import type { NewRow } from "./Row.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database } from "../database/Database.ts"
import { changedField } from "./Append.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"
import { CampaignStates, decodeStates, fields, noRows, RowStates } from "./RowColumns.ts"

const Time = Schema.optionalKey(Integer)

const summaries = decoderOf(
  Schema.Struct({
    campaign: Schema.String,
    state: CampaignStates,
    row_state: Schema.optionalKey(RowStates),
    count: Integer,
    first_at: Time,
    last_at: Time
  })
)
const earlier = decoderOf(
  Schema.Struct({ here: Integer, elsewhere: Integer, first_at: Time, last_at: Time })
)

const extreme = (
  choose: (...times: ReadonlyArray<number>) => number,
  ...times: ReadonlyArray<number | undefined>
): number | undefined => {
  const given = times.filter((time) => time !== undefined)
  return given.length === 0 ? undefined : choose(...given)
}

export const makeOverview = ({ dialect, query: ask }: Database) => {
  const { elements, integer, records, table } = dialect
  const send = table("send")

  const list = Effect.gen(function* () {
    const found = yield* summaries(
      yield* ask(
        `select campaign.id as campaign, campaign.state as state, send.state as row_state,
          cast(count(send.id) as ${integer}) as count, min(send.at) as first_at, max(send.at) as last_at
        from ${table("campaign")} as campaign left join ${send} as send on send.campaign = campaign.id
        group by campaign.id, campaign.state, send.state order by campaign.id`
      )
    )
    const byId = new Map<string, CampaignSummary>()
    for (const { campaign, count, first_at, last_at, row_state, state } of found) {
      const { counts, first, last } = byId.get(campaign) ?? { counts: noRows }
      byId.set(campaign, {
        campaign,
        state,
        counts: row_state === undefined ? counts : { ...counts, [row_state]: count },
        first: extreme(Math.min, first, first_at),
        last: extreme(Math.max, last, last_at)
      })
    }
    return [...byId.values()]
  })

  const knownRows = Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<NewRow>
  ): Effect.fn.Return<ReadonlyArray<KnownRow>, JournalError> {
    const found = yield* decodeStates(
      yield* ask(
        `select key, state, ${fields.join(", ")} from ${send}
        where campaign = $1 and key in (select value from ${elements("$2")})`,
        campaign,
        JSON.stringify(rows.map(({ key }) => key))
      )
    )
    const byKey = new Map(found.map((row) => [row.key, row]))
    return rows.flatMap((row, index) => {
      const stored = byKey.get(row.key)
      if (stored === undefined) return []
      const changed = changedField(stored, row.request)
      return [{ index, state: stored.state, ...(changed === undefined ? {} : { changed }) }]
    })
  })

  /** Sends that went out, or may have. A claimed row counts: its request may be in flight. */
  const earlierSends = Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<NewRow>,
    ignored: string
  ): Effect.fn.Return<EarlierSends, JournalError> {
    const found = yield* ask(
      `select cast(coalesce(sum(here), 0) as ${integer}) as here,
        cast(coalesce(sum(elsewhere), 0) as ${integer}) as elsewhere,
        min(first_at) as first_at, max(last_at) as last_at
      from (
        select max(case when send.campaign = $1 then 1 else 0 end) as here,
          max(case when send.campaign <> $1 then 1 else 0 end) as elsewhere,
          min(case when send.campaign <> $1 then send.at end) as first_at,
          max(case when send.campaign <> $1 then send.at end) as last_at
        from ${records("$2", "key text", "recipient text")}
        inner join ${send} as send on send.recipient = fields.recipient
        where send.state in ('attempting', 'sent', 'unknown')
          and not (send.campaign = $1 and send.key = fields.key)
          and ($3 = '' or substr(send.campaign, 1, length($3)) <> $3)
        group by send.recipient
      ) as recipients`,
      campaign,
      JSON.stringify(rows.map(({ key, request }) => ({ key, recipient: request.recipient }))),
      ignored
    )
    const [sums] = yield* earlier(found)
    return {
      here: sums?.here ?? 0,
      elsewhere: sums?.elsewhere ?? 0,
      first: sums?.first_at,
      last: sums?.last_at
    }
  })

  const compare = Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<NewRow>,
    ignoredPrefix = ""
  ): Effect.fn.Return<RowComparison, JournalError> {
    const known = yield* knownRows(campaign, rows)
    const settled = new Set(
      known.flatMap(({ changed, index, state }) =>
        state === "pending" && changed === undefined ? [] : [index]
      )
    )
    const toSend = rows.filter((_, index) => !settled.has(index))
    return { known, earlier: yield* earlierSends(campaign, toSend, ignoredPrefix) }
  })

  return { compare, list }
}
