/**
 * Adds rows to a campaign, in new slices.
 */
import { InvalidInput, type SendSmsRequest } from "@messaging-topup/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LoadSuperseded } from "../errors/LoadSuperseded.ts"
import { RowConflict } from "../errors/RowConflict.ts"
import { RowRefused } from "../errors/RowRefused.ts"
import { type Load, type NewRow, rowsPerSlice } from "./Row.ts"
import type { JournalError } from "../errors/JournalError.ts"
import type { Database, Query } from "../database/Database.ts"
import { wrongName, wrongValue } from "./WrongValue.ts"
import { Integer, decoderOf } from "../database/ResultDecoder.ts"
import { idsPerSlice } from "./Slices.ts"
import { decodeRequests, fields } from "./RowColumns.ts"

const ids = decoderOf(Schema.Struct({ id: Integer }))

interface Content extends SendSmsRequest {
  readonly key: string
}

interface NewContent extends Content {
  readonly line: number | undefined
}

/** Returns the first field that differs. The line is no field: a row may move in its file. */
export const changedField = (
  before: SendSmsRequest,
  after: SendSmsRequest
): keyof SendSmsRequest | undefined => fields.find((name) => before[name] !== after[name])

/** Returns the rows whose keys are new, each key once. Fails if a key that exists has other content. */
const newRows = Effect.fnUntraced(function* (
  rows: ReadonlyArray<NewRow>,
  stored: ReadonlyArray<Content>
) {
  const known = new Map<string, SendSmsRequest>(stored.map(({ key, ...request }) => [key, request]))
  const fresh = new Array<NewContent>()
  for (const [index, { key, line, request }] of rows.entries()) {
    const before = known.get(key)
    if (before === undefined) {
      known.set(key, request)
      fresh.push({ ...request, key, line })
      continue
    }
    const field = changedField(before, request)
    if (field !== undefined) return yield* new RowConflict({ field, index })
  }
  return fresh
})

export const makeAppend = ({ dialect, lock, transaction }: Database) => {
  const { elements, records, table } = dialect
  const contentColumns = fields.join(", ")
  const contentTypes = fields.map((name) => `${name} text`)

  const insertSlice = Effect.fnUntraced(function* (
    query: Query,
    campaign: string,
    load: Load | undefined,
    rows: ReadonlyArray<NewContent>
  ) {
    const made = yield* query(
      `insert into ${table("slice")} (campaign, load) values ($1, $2) returning id`,
      campaign,
      load?.id ?? null
    )
    const [slice] = yield* ids(made)
    if (slice === undefined) return
    const first = slice.id * idsPerSlice
    yield* query(
      `insert into ${table("send")} (id, campaign, key, line, ${contentColumns}, at)
      select id, $1, key, line, ${contentColumns}, $2
      from ${records("$3", "id bigint", "key text", "line bigint", ...contentTypes)}`,
      campaign,
      yield* Clock.currentTimeMillis,
      JSON.stringify(rows.map((row, index) => ({ ...row, id: first + index })))
    )
  })

  const requireOpen = Effect.fnUntraced(function* (query: Query, { campaign, id }: Load) {
    const open = yield* query(
      `select 1 from ${table("campaign")} where id = $1 and load = $2`,
      campaign,
      id
    )
    if (open.length === 0) return yield* new LoadSuperseded({ campaign })
  })

  return Effect.fnUntraced(function* (
    campaign: string,
    rows: ReadonlyArray<NewRow>,
    load?: Load
  ): Effect.fn.Return<
    void,
    InvalidInput | JournalError | LoadSuperseded | RowConflict | RowRefused
  > {
    const wrong = wrongName("campaign", campaign)
    if (wrong !== undefined)
      return yield* Effect.fail(new InvalidInput({ operation: "append", ...wrong }))
    for (const [index, row] of rows.entries()) {
      const refused = wrongValue(row)
      if (refused !== undefined) return yield* new RowRefused({ index, ...refused })
    }
    yield* transaction((query) =>
      Effect.gen(function* () {
        yield* lock(query, `campaign:${campaign}`)
        yield* load === undefined
          ? query(
              `insert into ${table("campaign")} (id) values ($1) on conflict (id) do nothing`,
              campaign
            )
          : requireOpen(query, load)
        const stored = yield* query(
          `select key, ${contentColumns} from ${table("send")}
          where campaign = $1 and key in (select value from ${elements("$2")})`,
          campaign,
          JSON.stringify(rows.map(({ key }) => key))
        )
        const fresh = yield* newRows(rows, yield* decodeRequests(stored))
        for (let start = 0; start < fresh.length; start += rowsPerSlice) {
          yield* insertSlice(query, campaign, load, fresh.slice(start, start + rowsPerSlice))
        }
      })
    )
  })
}
