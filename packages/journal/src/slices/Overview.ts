/**
 * What the journal knows about campaigns before a person decides: all campaigns, and what became of rows
 * that are about to be loaded.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CampaignSummary, KnownRow } from "./CampaignJournal.ts"
import type { NewRow } from "./Row.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database } from "../database/Database.ts"
import { changedField } from "./Append.ts"
import { isLoaded } from "./Loads.ts"
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
const writtenRows = decoderOf(
  Schema.Struct({ id: Integer, campaign: Schema.String, recipient: Schema.String, at: Integer })
)

const extreme = (
  choose: (...times: ReadonlyArray<number>) => number,
  ...times: ReadonlyArray<number | undefined>
): number | undefined => {
  const given = times.filter((time) => time !== undefined)
  return given.length === 0 ? undefined : choose(...given)
}

export const makeOverview = ({ dialect, query: ask }: Database) => {
  const { elements, integer, table } = dialect
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

  const known = Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<NewRow>
  ): Effect.fn.Return<ReadonlyArray<KnownRow>, JournalError> {
    const found = yield* decodeStates(
      yield* ask(
        `select key, state, ${fields.join(", ")} from ${send}
        where campaign = $1 and key in (select value from ${elements("$2")}) and ${isLoaded(dialect)}`,
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

  const written = Effect.fnUntraced(function* (after: number, limit: number) {
    const found = yield* ask(
      `select id, campaign, recipient, at from ${send}
      where id > $1 and state in ('attempting', 'sent', 'unknown') order by id limit $2`,
      after,
      limit
    )
    return yield* writtenRows(found)
  })

  return { known, list, written }
}
