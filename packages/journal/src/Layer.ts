/** The journal, on a database. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type { Database } from "./database/Database.ts"
import { makeTables } from "./database/Schema.ts"
import type { JournalError } from "./Errors.ts"
import type { Claim, SendEnding } from "./Send.ts"
import { SendJournal } from "./SendJournal.ts"
import { makeSendOnce } from "./SendOnce.ts"
import { makeCampaigns } from "./sends/Campaigns.ts"
import { makeDigest } from "./sends/Digest.ts"
import { makeNames } from "./sends/Names.ts"
import { makeOperator } from "./sends/Operator.ts"
import { makePrune } from "./sends/Prune.ts"
import { makeRates } from "./sends/Rates.ts"
import { makeReport } from "./sends/Report.ts"
import { makeRule, type Rule } from "./sends/Rule.ts"
import { makeServer } from "./sends/Server.ts"

/** How long a result waits until the journal has written its outcome. */
const writeTimeout = "2 seconds"

/** How long a shutdown waits for outcomes that are not written yet. */
const shutdownTimeout = "5 seconds"

/** Settles claims, and keeps what cannot be written until it can be. */
const makeSettle = Effect.fnUntraced(function* ({ write }: Rule) {
  const writes = yield* FiberSet.make()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(FiberSet.awaitEmpty(writes), shutdownTimeout)
  )
  return Effect.fnUntraced(function* (settled: Claim, ending: SendEnding) {
    const { attempt, key, token } = settled
    const settle = [{ claim: { key, attempt, token }, ending }]
    const writing = yield* write({ token, timeoutMillis: 0, settle, claim: [] }).pipe(
      Effect.retry(Schedule.spaced("1 second")),
      Effect.ignore,
      FiberSet.run(writes)
    )
    const written = Effect.interruptible(Fiber.await(writing))
    return Option.isSome(yield* Effect.timeoutOption(written, writeTimeout))
  })
})

const make = Effect.fnUntraced(function* (database: Database) {
  yield* makeTables(database)
  const { dialect, server, transaction } = database
  const digest = yield* makeDigest(database)
  const rule = makeRule(database)
  const settle = yield* makeSettle(rule)
  const prune = makePrune(database, rule)
  const names = makeNames(digest)
  const campaigns = makeCampaigns(database, rule, names)

  const store = (name: string, value: string, ...params: ReadonlyArray<string>) =>
    transaction((query) =>
      query(
        `insert into ${dialect.table("setting")} (name, value) values ('${name}', cast(${value} as text))
        on conflict (name) do update set value = excluded.value`,
        ...params
      )
    )
  if (server !== undefined) yield* store("server", "$1", server)

  return SendJournal.of({
    sendOnce: makeSendOnce(database, rule, names, campaigns.begin, settle),
    resolve: (key, decision) => rule.decideOne(decision, "key = $1", names.storedKey(key)),
    prune: prune.program,
    campaigns: {
      ...campaigns,
      ...makeReport(database, rule),
      ...makeRates(database),
      prune: prune.campaign
    },
    server: { ...makeServer(database, rule, names), keep: prune.keep, prune: prune.server },
    operator: makeOperator(database, rule),
    settle,
    // SQLite does not write a row that stays the same, so a full disk shows only when the value is new.
    check: Effect.asVoid(store("checked", dialect.now)),
    digest,
    contentDigest: names.contentDigest,
    identify: names.identify,
    recipientDigest: names.recipientDigest
  })
})

export const layerOf = <R>(connect: Effect.Effect<Database, JournalError, R>) =>
  Layer.effect(SendJournal, Effect.flatMap(connect, make))
