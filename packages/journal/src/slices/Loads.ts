/**
 * Loads: rows that arrive in several appends, and may be sent once the last one is in.
 *
 * The slices of a load that has not ended are invisible, and their rows are deleted when the load fails
 * or the next one begins. So a process that ends in the middle of a file leaves nothing that is sent.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LoadSuperseded } from "../errors/LoadSuperseded.ts"
import type { Load } from "./Row.ts"
import type { Database, Dialect, Query } from "../database/Database.ts"
import { decoderOf, Integer } from "../database/ResultDecoder.ts"
import { idsPerSlice, range } from "./Slices.ts"

const ids = decoderOf(Schema.Struct({ id: Integer }))

/** Whether a row of the campaign `$1` is there: not in a load that has not ended. */
export const isLoaded = ({ table }: Dialect): string =>
  `((select load from ${table("campaign")} where id = $1) is null or not exists (
    select 1 from ${table("slice")} as slice
    where slice.id = send.id / ${idsPerSlice} and slice.load is not null
  ))`

export const makeLoads = ({ dialect, lock, transaction }: Database) => {
  const { table } = dialect
  const campaigns = table("campaign")
  const slices = table("slice")

  const deleteUnfinished = Effect.fnUntraced(function* (query: Query, campaign: string) {
    const unfinished = yield* ids(
      yield* query(
        `delete from ${slices} where campaign = $1 and load is not null returning id`,
        campaign
      )
    )
    for (const { id } of unfinished) {
      yield* query(`delete from ${table("send")} where id between $1 and $2`, ...range(id))
    }
  })

  /** Ends the load in the table of campaigns. Fails if it is no longer the campaign's load. */
  const close = Effect.fnUntraced(function* (query: Query, { campaign, id }: Load) {
    yield* lock(query, `campaign:${campaign}`)
    const closed = yield* query(
      `update ${campaigns} set load = null where id = $1 and load = $2 returning id`,
      campaign,
      id
    )
    if (closed.length === 0) return yield* new LoadSuperseded({ campaign })
  })

  const beginLoad = Effect.fnUntraced(function* (campaign: string) {
    const load: Load = { campaign, id: yield* Effect.sync(() => crypto.randomUUID()) }
    yield* transaction((query) =>
      Effect.gen(function* () {
        yield* lock(query, `campaign:${campaign}`)
        yield* query(
          `insert into ${campaigns} (id, load) values ($1, $2)
          on conflict (id) do update set load = excluded.load`,
          campaign,
          load.id
        )
        yield* deleteUnfinished(query, campaign)
      })
    )
    return load
  })

  const endLoad = (load: Load) =>
    transaction((query) =>
      Effect.gen(function* () {
        yield* close(query, load)
        yield* query(
          `update ${slices} set load = null where campaign = $1 and load is not null`,
          load.campaign
        )
      })
    )

  const abandonLoad = (load: Load) =>
    transaction((query) =>
      Effect.gen(function* () {
        yield* close(query, load)
        yield* deleteUnfinished(query, load.campaign)
        yield* query(
          `delete from ${campaigns} where id = $1 and state = 'running'
            and not exists (select 1 from ${slices} where campaign = $1)`,
          load.campaign
        )
      })
    )

  return { abandonLoad, beginLoad, endLoad }
}
