/**
 * The rules of the slices: which attempt may send which row.
 *
 * Each slice has an epoch, which `begin` raises. Only the attempt of the current epoch can claim
 * rows, and it claims each row at most once. An attempt settles the rows that it claimed, and no
 * others; it can do so even after a later attempt has begun. So at most one request starts each
 * time that a row becomes `pending`, and only the attempt that claimed it or a person makes it
 * `pending` again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CampaignStopped } from "../errors/CampaignStopped.ts"
import { SliceNotFound } from "../errors/SliceNotFound.ts"
import { type Attempt, maxTries, type Settlement } from "./Row.ts"
import type { Database } from "../database/Database.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"
import { decodeRows, details, rowColumns } from "./RowColumns.ts"

/**
 * The ids of a slice begin at `slice * idsPerSlice`. This number must be at least `rowsPerSlice`.
 */
export const idsPerSlice = 512

/** Removes what a database cannot store, so that a text never prevents a settlement. */
const textOf = (text: string | undefined) => text?.replaceAll("\0", "").toWellFormed() ?? null

const storable = ({ id, outcome, ...texts }: Settlement) => ({
  id,
  outcome,
  ...Object.fromEntries(details.map((name) => [name, textOf(texts[name])]))
})

const ids = decoderOf(Schema.Struct({ id: Integer }))
const epochs = decoderOf(Schema.Struct({ epoch: Integer, campaign: Schema.String }))
const stops = decoderOf(Schema.Struct({ state: Schema.Literals(["paused", "cancelled"]) }))

export const range = (slice: number) =>
  [slice * idsPerSlice, (slice + 1) * idsPerSlice - 1] as const

export const makeSlices = (database: Database) => {
  const { elements, forUpdate, records, table } = database.dialect
  const send = table("send")
  const slices = table("slice")

  const readRows = Effect.fnUntraced(function* (slice: number) {
    const found = yield* database.query(
      `select ${rowColumns} from ${send} where id between $1 and $2 order by id`,
      ...range(slice)
    )
    return yield* decodeRows(found)
  })

  const idsWhere = (condition: string) =>
    Effect.fnUntraced(function* (campaign: string) {
      const found = yield* database.query(
        `select id from ${slices} where campaign = $1 and load is null and ${condition} order by id`,
        campaign
      )
      return (yield* ids(found)).map(({ id }) => id)
    })

  /**
   * Several statements, in this order. A single statement would see the rows as they were before it
   * waited for the lock of the slice.
   */
  const begin = (slice: number) =>
    database.transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const raised = yield* query(
          `update ${slices} set epoch = epoch + 1 where id = $1 and load is null returning epoch, campaign`,
          slice
        )
        const [current] = yield* epochs(raised)
        if (current === undefined) return yield* new SliceNotFound({ slice })
        const [stopped] = yield* stops(
          yield* query(
            `select state from ${table("campaign")} where id = $1 and state <> 'running'`,
            current.campaign
          )
        )
        if (stopped !== undefined) return yield* new CampaignStopped({ state: stopped.state })
        yield* query(
          `update ${send} set state = 'unknown', at = $3,
            info = 'the process stopped while the request was in flight'
          where id between $1 and $2 and state = 'attempting'`,
          ...range(slice),
          now
        )
        const pending = yield* query(
          `select ${rowColumns} from ${send}
          where id between $1 and $2 and state = 'pending' order by id`,
          ...range(slice)
        )
        const attempt: Attempt = { slice, epoch: current.epoch }
        return { attempt, campaign: current.campaign, rows: yield* decodeRows(pending) }
      })
    )

  /**
   * A settlement counts even after a later attempt has marked the row unknown. A row that did not go
   * out is then pending again, and `reopen` hands its slice out once more, because the later attempt has
   * already read its rows, and may have ended.
   *
   * Here and in `claim`, the range is a condition on the given ids. As a condition on the rows, it made
   * PostgreSQL read all rows of the slice in each turn, and in new tables compare each with each id.
   */
  const settle = `update ${send} set
      state = case when fields.outcome not in ('not-sent', 'released') then fields.outcome
        when fields.outcome = 'not-sent' and tries + 1 >= ${maxTries} then 'rejected'
        when send.state = 'unknown' and exists (
          select 1 from ${table("campaign")} where id = send.campaign and state = 'cancelled'
        ) then 'rejected'
        else 'pending' end,
      tries = case when fields.outcome = 'not-sent' then tries + 1 else tries end,
      ${details.map((name) => `${name} = fields.${name}`).join(", ")},
      claimed_at = null,
      at = $3
    from ${records("$4", "id bigint", "outcome text", ...details.map((name) => `${name} text`))}
    where send.id = fields.id and fields.id between $5 and $6 and send.epoch = $2
      and (send.state in ('attempting', 'unknown') and send.state <> fields.outcome
        or send.state = 'pending' and fields.outcome = 'sent')`

  /** The attempt of the current epoch needs no such step: its slice is not done. */
  const reopen = (superseded: string, pending: string) => `update ${slices} set done_at = null
    where id = $1 and ${superseded} and exists ${pending}`

  /**
   * If a claim is repeated after a lost acknowledgement, it returns the same rows. `claimed_at` stays until
   * the row is settled: as long as it is there, the request may not have ended, or not even started.
   */
  const claim = (fence: string) => `update ${send}
    set state = 'attempting', epoch = $2, claimed_at = $3, at = $3, info = null
    from (select cast(value as bigint) as id from ${elements("$7")}) as fields
    where send.id = fields.id and fields.id between $5 and $6
      and (state = 'pending' and epoch < $2 or state = 'attempting' and epoch = $2)
      and exists ${fence}
    returning send.id`

  const exchange = Effect.fnUntraced(function* (
    { epoch, slice }: Attempt,
    turn: { readonly settle: ReadonlyArray<Settlement>; readonly claim: ReadonlyArray<number> }
  ) {
    const claimed = yield* database.turn(
      { settle, reopen, claim },
      slice,
      epoch,
      yield* Clock.currentTimeMillis,
      JSON.stringify(turn.settle.map(storable)),
      ...range(slice),
      JSON.stringify(turn.claim)
    )
    return (yield* ids(claimed)).map(({ id }) => id)
  })

  /** Two statements, so that the second one sees a person's decision made while the first one waited. */
  const end = ({ epoch, slice }: Attempt) =>
    database.transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const current = yield* query(
          `select id from ${slices} where id = $1 and epoch = $2 ${forUpdate}`,
          slice,
          epoch
        )
        if (current.length === 0) return false
        const done = yield* query(
          `update ${slices} set done_at = coalesce(done_at, $2) where id = $1 and not exists (
            select 1 from ${send} where id between $3 and $4 and state in ('pending', 'attempting')
          ) returning id`,
          slice,
          now,
          ...range(slice)
        )
        return done.length > 0
      })
    )

  return {
    begin,
    end,
    exchange,
    openSlices: idsWhere("done_at is null"),
    readRows,
    slices: idsWhere("true")
  }
}
