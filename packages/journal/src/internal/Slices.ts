/**
 * The rule of the slices: who may send which row.
 *
 * Each slice has an epoch, which `begin` raises. A row is claimed by the attempt of the current epoch,
 * once; what became of it is settled by the attempt that claimed it, even if that is superseded. So at
 * most one request leaves for each time that a row becomes `pending`, and only its own claimer or a
 * person makes it `pending` again.
 */
import type { SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SliceNotFound } from "../errors/SliceNotFound.ts"
import { type Attempt, type Decision, maxTries, type Row, type Settlement } from "../Row.ts"
import type { Database } from "./Database.ts"
import { fields } from "./Input.ts"
import { Integer, rowsOf } from "./Rows.ts"

/** A slice's ids are `slice * idsPerSlice` and up: with room for `rowsPerSlice`. */
export const idsPerSlice = 512

const Text = Schema.NullOr(Schema.String)

const StoredRow = Schema.Struct({
  id: Integer,
  key: Schema.String,
  recipient: Schema.String,
  message: Schema.String,
  sender_id: Text,
  webhook_url: Text,
  scheduled_time: Text,
  state: Schema.Literals(["pending", "attempting", "accepted", "rejected", "unknown"]),
  tries: Integer,
  info: Text
})

const columns = ["id", "key", ...fields, "state", "tries", "info"].join(", ")

/** As both databases store it: information never holds a settlement back. */
const storable = ({ id, info, outcome }: Settlement) => ({
  id,
  outcome,
  info: info?.replaceAll("\0", "").toWellFormed() ?? null
})

/** The request of a stored row, without the fields that it does not have. */
const requestOf = (stored: typeof StoredRow.Type): SendSmsRequest => {
  const { message, recipient, scheduled_time, sender_id, webhook_url } = stored
  return {
    recipient,
    message,
    ...(sender_id === null ? {} : { sender_id }),
    ...(webhook_url === null ? {} : { webhook_url }),
    ...(scheduled_time === null ? {} : { scheduled_time })
  }
}

const rowOf = (stored: typeof StoredRow.Type): Row => {
  const { id, info, key, state, tries } = stored
  const row = { id, key, request: requestOf(stored), state, tries }
  return info === null ? row : { ...row, info }
}

const decodeRows = rowsOf(StoredRow)
const ids = rowsOf(Schema.Struct({ id: Integer }))
const epochs = rowsOf(Schema.Struct({ epoch: Integer }))

const range = (slice: number) => [slice * idsPerSlice, (slice + 1) * idsPerSlice - 1] as const

export const makeSlices = (database: Database) => {
  const { elements, forUpdate, records, table } = database.dialect
  const send = table("send")
  const slices = table("slice")

  const readRows = Effect.fnUntraced(function* (slice: number) {
    const found = yield* database.query(
      `select ${columns} from ${send} where id between $1 and $2 order by id`,
      ...range(slice)
    )
    return (yield* decodeRows(found)).map(rowOf)
  })

  const idsWhere = (condition: string) =>
    Effect.fnUntraced(function* (campaign: string) {
      const found = yield* database.query(
        `select id from ${slices} where campaign = $1 and ${condition} order by id`,
        campaign
      )
      return (yield* ids(found)).map(({ id }) => id)
    })

  /** Three statements in this order: one would sweep what it saw before it waited for the epoch. */
  const begin = (slice: number) =>
    database.transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const raised = yield* query(
          `update ${slices} set epoch = epoch + 1 where id = $1 returning epoch`,
          slice
        )
        const [current] = yield* epochs(raised)
        if (current === undefined) return yield* new SliceNotFound({ slice })
        yield* query(
          `update ${send} set state = 'unknown', at = $3
          where id between $1 and $2 and state = 'attempting'`,
          ...range(slice),
          now
        )
        const pending = yield* query(
          `select ${columns} from ${send}
          where id between $1 and $2 and state = 'pending' order by id`,
          ...range(slice)
        )
        const attempt: Attempt = { slice, epoch: current.epoch }
        return { attempt, rows: (yield* decodeRows(pending)).map(rowOf) }
      })
    )

  /**
   * A settlement after the sweep of a later attempt counts too. It cannot make the row `pending`: that
   * attempt has read its rows, and may be done.
   */
  const settle = `update ${send} set
      state = case when fields.outcome <> 'not-sent' then fields.outcome
        when send.state = 'unknown' or tries + 1 >= ${maxTries} then 'rejected'
        else 'pending' end,
      tries = case when fields.outcome = 'not-sent' then tries + 1 else tries end,
      info = fields.info,
      at = $3
    from ${records("$4", "id bigint", "outcome text", "info text")}
    where send.id = fields.id and send.id between $5 and $6 and send.epoch = $2
      and (send.state in ('attempting', 'unknown') and send.state <> fields.outcome
        or send.state = 'pending' and fields.outcome = 'accepted')`

  /** A claim that is repeated after a lost acknowledgement is the same claim. */
  const claim = (fence: string) => `update ${send} set state = 'attempting', epoch = $2, at = $3
    where id in (select cast(value as bigint) from ${elements("$7")}) and id between $5 and $6
      and (state = 'pending' and epoch < $2 or state = 'attempting' and epoch = $2)
      and exists ${fence}
    returning id`

  const exchange = Effect.fnUntraced(function* (
    { epoch, slice }: Attempt,
    turn: { readonly settle: ReadonlyArray<Settlement>; readonly claim: ReadonlyArray<number> }
  ) {
    const claimed = yield* database.turn(
      (fence) => ({ settle, claim: claim(fence) }),
      slice,
      epoch,
      yield* Clock.currentTimeMillis,
      JSON.stringify(turn.settle.map(storable)),
      ...range(slice),
      JSON.stringify(turn.claim)
    )
    return (yield* ids(claimed)).map(({ id }) => id)
  })

  /** Two statements: the second one sees what a person did while the first one waited. */
  const end = ({ epoch, slice }: Attempt) =>
    database.transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const mine = yield* query(
          `select id from ${slices} where id = $1 and epoch = $2 ${forUpdate}`,
          slice,
          epoch
        )
        if (mine.length === 0) return false
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

  /** The slice is held first, so that no attempt is done with it in between. */
  const resolveRow = (campaign: string, key: string, decision: Decision) =>
    database.transaction((query) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const [found] = yield* ids(
          yield* query(`select id from ${send} where campaign = $1 and key = $2`, campaign, key)
        )
        if (found === undefined) return false
        const slice = Math.floor(found.id / idsPerSlice)
        yield* query(`select id from ${slices} where id = $1 ${forUpdate}`, slice)
        const resolved = yield* query(
          `update ${send} set state = $2, at = $3 where id = $1 and state = 'unknown' returning id`,
          found.id,
          decision === "resend" ? "pending" : decision,
          now
        )
        if (resolved.length === 0) return false
        if (decision === "resend") {
          yield* query(`update ${slices} set done_at = null where id = $1`, slice)
        }
        return true
      })
    )

  return {
    begin,
    end,
    exchange,
    openSlices: idsWhere("done_at is null"),
    readRows,
    resolveRow,
    slices: idsWhere("true")
  }
}
