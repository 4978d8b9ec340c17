/**
 * Operations on whole campaigns: state, counts, pages of rows, decisions and statuses.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type {
  CampaignState,
  ChangedRows,
  RowCounts,
  RowFilter,
  RowStatus
} from "./CampaignJournal.ts"
import { claimDeadline, type Decision } from "./Row.ts"
import { type Database, type Query, toleranceMillis } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"
import { isLoaded } from "./Loads.ts"
import { idsPerSlice, range } from "./Slices.ts"
import { CampaignStates, decodeRows, noRows, rowColumns, RowStates } from "./RowColumns.ts"

const states = decoderOf(Schema.Struct({ state: CampaignStates }))
const ids = decoderOf(Schema.Struct({ id: Integer }))
const counted = decoderOf(Schema.Struct({ state: RowStates, count: Integer }))
const keysOf = decoderOf(Schema.Struct({ id: Integer, key: Schema.String }))

/** The times of claims whose requests may still start. A later one was stored while a clock was wrong. */
const mayStart = (now: number) =>
  [now - Duration.toMillis(claimDeadline), now + toleranceMillis] as const

const noTime = [1, 0] as const

/** Returns the slices of the rows, as a list for a statement. */
const slicesOf = (rows: ReadonlyArray<{ readonly id: number }>): string =>
  JSON.stringify([...new Set(rows.map(({ id }) => Math.floor(id / idsPerSlice)))])

export const makeCampaigns = ({ dialect, query: ask, transaction }: Database) => {
  const { elements, forUpdate, integer, records, table } = dialect
  const campaigns = table("campaign")
  const slices = table("slice")
  const send = table("send")

  const readState = Effect.fnUntraced(function* (query: Query, campaign: string) {
    const [found] = yield* states(
      yield* query(
        `select case when load is null or state = 'cancelled' then state else 'loading' end as state
        from ${campaigns} where id = $1`,
        campaign
      )
    )
    return found?.state
  })

  /**
   * Sets the state, unless the campaign is cancelled. A pause or a cancel also raises the epochs,
   * so that running attempts can claim no more rows. `begin` reads the state after it has raised
   * the epoch. So an attempt that begins at the same time sees the new state or loses its right to
   * claim.
   */
  const change = (campaign: string, to: CampaignState) =>
    transaction((query) =>
      Effect.gen(function* () {
        yield* query(
          `update ${campaigns} set state = $2 where id = $1 and state <> 'cancelled'`,
          campaign,
          to
        )
        if (to !== "running") {
          yield* query(
            `update ${slices} set epoch = epoch + 1 where campaign = $1 and done_at is null`,
            campaign
          )
        }
        return yield* readState(query, campaign)
      })
    )

  const cancelSlice = (slice: number) =>
    transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        yield* query(
          `update ${slices} set done_at = coalesce(done_at, $2) where id = $1`,
          slice,
          now
        )
        yield* query(
          `update ${send} set at = $3, info = case when state = 'pending' then 'cancelled'
              else 'cancelled while the request was in flight' end,
            state = case when state = 'pending' then 'rejected' else 'unknown' end
          where id between $1 and $2 and state in ('pending', 'attempting')`,
          ...range(slice),
          now
        )
      })
    )

  /** One transaction for each slice, so that other processes wait for one slice at most. */
  const cancel = Effect.fnUntraced(function* (campaign: string) {
    const state = yield* change(campaign, "cancelled")
    const open = yield* ids(
      yield* ask(`select id from ${slices} where campaign = $1 and done_at is null`, campaign)
    )
    for (const { id } of open) yield* cancelSlice(id)
    return state
  })

  const counts = Effect.fnUntraced(function* (campaign: string) {
    const found = yield* counted(
      yield* ask(
        `select state, cast(count(*) as ${integer}) as count from ${send}
        where campaign = $1 and ${isLoaded(dialect)} group by state`,
        campaign
      )
    )
    const rowCounts: RowCounts = {
      ...noRows,
      ...Object.fromEntries(found.map(({ count, state }) => [state, count]))
    }
    return rowCounts
  })

  const page = Effect.fnUntraced(function* (
    campaign: string,
    { notFinal = false, states: wanted }: RowFilter,
    after: number,
    limit: number
  ) {
    const found = yield* ask(
      // `|| ''` keeps SQLite from using the index of the keys: then it would sort all rows for each page.
      `select ${rowColumns} from ${send} where id > $2 and campaign || '' = $1
        and state in (select value from ${elements("$3")}) ${notFinal ? "and final_at is null" : ""}
      order by id limit $4`,
      campaign,
      after,
      JSON.stringify(wanted),
      limit
    )
    return yield* decodeRows(found)
  })

  /**
   * Applies a person's decision to rows of one state. Locks the slices first, so that no attempt can end
   * one of them in between.
   *
   * A row that is pending again cannot be claimed by the attempt of its epoch, which may be frozen. But a
   * request that this attempt claimed may start until the deadline. So the row becomes pending after it.
   */
  const decide = (
    campaign: string,
    keys: ReadonlyArray<string>,
    from: "unknown" | "rejected",
    to: Decision
  ) =>
    transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const isReopened = to === "resend"
        const given = [campaign, JSON.stringify(keys)] as const
        const chosen = `campaign = $1 and key in (select value from ${elements("$2")})`
        const found = yield* keysOf(
          yield* query(`select id, key from ${send} where ${chosen}`, ...given)
        )
        const inHeld = `id in (select cast(value as ${integer}) from ${elements("$1")})`
        yield* query(
          `select id from ${slices} where ${inHeld} order by id ${forUpdate}`,
          slicesOf(found)
        )
        const notCancelled = `exists (select 1 from ${campaigns} where id = $1 and state <> 'cancelled')`
        const changed = yield* keysOf(
          yield* query(
            `update ${send} set state = $3, at = $4 ${from === "rejected" ? ", tries = 0" : ""}
            where ${chosen} and state = '${from}' ${from === "rejected" ? `and ${notCancelled}` : ""}
              and (claimed_at is null or claimed_at not between $5 and $6)
            returning id, key`,
            ...given,
            isReopened ? "pending" : to,
            now,
            ...(isReopened ? mayStart(now) : noTime)
          )
        )
        if (!isReopened) return { changed: changed.map(({ key }) => key), refused: [] }
        if (changed.length > 0) {
          yield* query(`update ${slices} set done_at = null where ${inHeld}`, slicesOf(changed))
        }
        const refused = yield* keysOf(
          yield* query(
            `select id, key from ${send} where ${chosen} and state = '${from}'
              and claimed_at between $3 and $4`,
            ...given,
            ...mayStart(now)
          )
        )
        const decided: ChangedRows = {
          changed: changed.map(({ key }) => key),
          refused: refused.map(({ key }) => key)
        }
        return decided
      })
    )

  const saveStatuses = Effect.fnUntraced(function* (statuses: ReadonlyArray<RowStatus>) {
    const entries = statuses.map(({ id, isFinal, status }) => ({
      id,
      status: status.replaceAll("\0", "").toWellFormed(),
      final: isFinal ? 1 : 0
    }))
    yield* ask(
      `update ${send} set status = fields.status,
        final_at = case when fields.final = 1 then cast($2 as ${integer}) end
      from ${records("$1", "id bigint", "status text", "final bigint")}
      where send.id = fields.id and send.state = 'sent'`,
      JSON.stringify(entries),
      yield* Clock.currentTimeMillis
    )
  })

  return {
    cancel,
    counts,
    page,
    pause: (campaign: string) => change(campaign, "paused"),
    resolveRows: (campaign: string, keys: ReadonlyArray<string>, decision: Decision) =>
      decide(campaign, keys, "unknown", decision),
    resume: (campaign: string) => change(campaign, "running"),
    retryRows: (campaign: string, keys: ReadonlyArray<string>) =>
      decide(campaign, keys, "rejected", "resend"),
    saveStatuses,
    state: (campaign: string) => readState(ask, campaign)
  }
}
