/**
 * The three services of the journal, on a database.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SendClaims } from "./claims/SendClaims.ts"
import type { JournalError } from "./errors/JournalError.ts"
import { SendJournal } from "./SendJournal.ts"
import { CampaignJournal } from "./slices/CampaignJournal.ts"
import { makeAppend } from "./slices/Append.ts"
import { makeLoads } from "./slices/Loads.ts"
import { makeCampaigns } from "./slices/Campaigns.ts"
import { makeClaims } from "./claims/Claims.ts"
import type { Database, Query } from "./database/Database.ts"
import { makeCheck } from "./claims/Check.ts"
import { makeDigest } from "./claims/Digest.ts"
import { migrate } from "./database/Migrations.ts"
import { makeOverview } from "./slices/Overview.ts"
import { makePrune } from "./slices/Prune.ts"
import { makeRates } from "./slices/Rates.ts"
import { makeSendOnce } from "./claims/SendOnce.ts"
import { makeSlices } from "./slices/Slices.ts"

const make = Effect.fnUntraced(function* (
  database: Database,
  prepare: (query: Query) => Effect.Effect<void, JournalError>
) {
  yield* migrate(database, prepare)
  const digest = yield* makeDigest(database)
  const claims = makeClaims(database)
  const slices = makeSlices(database)
  const campaigns = makeCampaigns(database)

  const journal = SendJournal.of({
    append: makeAppend(database),
    openSlices: slices.openSlices,
    slices: slices.slices,
    rows: slices.readRows,
    begin: slices.begin,
    exchange: slices.exchange,
    end: slices.end,
    resolveRow: (campaign, key, decision) =>
      Effect.map(
        campaigns.resolveRows(campaign, [key], decision),
        ({ changed }) => changed.length > 0
      ),
    sendOnce: makeSendOnce(claims, digest, yield* Effect.scope),
    resolve: claims.resolveKey,
    prune: makePrune(database)
  })
  const { resolveId, resolveKey: _, ...single } = claims
  return Context.make(SendJournal, journal).pipe(
    Context.add(
      SendClaims,
      SendClaims.of({ ...single, check: makeCheck(database), digest, resolve: resolveId })
    ),
    Context.add(
      CampaignJournal,
      CampaignJournal.of({
        ...campaigns,
        ...makeLoads(database),
        ...makeOverview(database),
        ...makeRates(database)
      })
    )
  )
})

/** Makes a layer. `prepare` creates the schema of the tables. */
export const layerOf = <R>(
  connect: Effect.Effect<Database, JournalError, R>,
  prepare: (query: Query) => Effect.Effect<void, JournalError> = () => Effect.void
) => Layer.effectContext(Effect.flatMap(connect, (database) => make(database, prepare)))
