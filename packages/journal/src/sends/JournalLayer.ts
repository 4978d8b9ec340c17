/** The journal, on a database. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { hash, randomUUID } from "node:crypto"
import type { Database, Params } from "../database/Database.ts"
import { makeTables } from "../database/Schema.ts"
import { olderCopy, stopAll } from "../model/JournalName.ts"
import type { Claim, StoredEnd } from "../model/Send.ts"
import type { InBackground } from "./OneSend.ts"
import { WholeJournal } from "./SendJournal.ts"
import { makeSendOnce } from "./SendOnce.ts"
import { makeCampaigns } from "./Campaigns.ts"
import { type Digest, makeNames, plainKeyOf } from "../model/Names.ts"
import { makeOperator } from "./Operator.ts"
import { makePrune } from "./Prune.ts"
import { makeResolve } from "./Resolve.ts"
import { makeRule, type Rule } from "../Rule.ts"
import { makeServer } from "./Server.ts"

/**
 * Keyed digests: without the key, nobody can find the phone numbers in a copy of the sends by trying all
 * numbers. The key is stored in the journal, so that all its processes make the same digests.
 *
 * 132 bits are enough, and a million rows take 40 MB less than with all. The cut makes the key before the
 * text as safe as an HMAC, which costs three times as much: who would go on with a hash needs all of it.
 */
const digestLength = 22

const digestWith =
  (key: string): Digest =>
  (parts) =>
    hash("sha256", key + JSON.stringify(parts), "base64url").slice(0, digestLength)

/** How long a result waits until the journal has written its outcome. */
const writeTimeout = "2 seconds"

/** How long a shutdown waits for outcomes that are not written yet. */
const shutdownTimeout = "5 seconds"

/** Says of a request that ended that its claim has no outcome in the journal. */
const unwritten =
  (sentence: string) =>
  (journal: string, { id, key }: Claim, { state }: StoredEnd) => {
    const outcome = state === "sent" || state === "unknown" ? state : "not-sent"
    return Effect.logError(sentence, { id, ...plainKeyOf(key), journal, outcome })
  }

const inTheEnd = unwritten(
  `The outcome of an SMS could not be written to the journal, where it stays unknown: resolve it as this line says; but if ${olderCopy}, keep the SMS from going out again`
)

/** Also a person who prunes what is unknown while its process is frozen deletes its row. */
const missing = unwritten(
  `An SMS of this process is not in the journal: ${olderCopy}, or it was pruned meanwhile. Nothing more is sent: ${stopAll}; if there is a newer file, put it back and resolve the SMS there as this line says; otherwise, keep the SMS from going out again; only then go on`
)

/** What no call waits for. It ends before the journal does, or is interrupted. */
const makeInBackground = Effect.gen(function* () {
  const writes = yield* FiberSet.make()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(FiberSet.awaitEmpty(writes), shutdownTimeout)
  )
  const inBackground: InBackground = (effect) => FiberSet.run(writes, effect)
  return inBackground
})

/** Settles claims, and keeps what cannot be written until it can be. */
const makeSettle = (journal: string, rule: Rule, inBackground: InBackground) =>
  Effect.fnUntraced(function* (claim: Claim, stored: StoredEnd) {
    const writing = yield* rule.settle({ claim, stored }).pipe(
      Effect.retry(Schedule.spaced("1 second")),
      Effect.onInterrupt(() => inTheEnd(journal, claim, stored)),
      Effect.tap((written) =>
        written.missing > 0 ? missing(journal, claim, stored) : Effect.void
      ),
      Effect.ignore,
      inBackground
    )
    const written = Effect.interruptible(Fiber.await(writing))
    return Option.isSome(yield* Effect.timeoutOption(written, writeTimeout))
  })

const make = Effect.fnUntraced(function* (
  database: Database,
  created: Effect.Effect<void> | undefined
) {
  const digestKey = yield* makeTables(database, created)
  database.opened?.(digestKey)
  const digest = digestWith(digestKey)
  const { dialect, read, server, transaction } = database
  const rule = makeRule(database)
  const inBackground = yield* makeInBackground
  const settle = makeSettle(database.name, rule, inBackground)
  const names = makeNames(digest)
  const campaigns = makeCampaigns(database, rule)

  const store = (name: string, value: string, params: Params = {}) =>
    transaction((query) =>
      query(
        `insert into ${dialect.table("setting")} (name, value) values ('${name}', cast(${value} as text))
        on conflict (name) do update set value = excluded.value`,
        params
      )
    )
  if (server !== undefined) yield* store("server", "$server", { server })

  /** In one transaction, so that a process which is killed leaves no claim. */
  const tryClaim = transaction(
    Effect.fnUntraced(function* (query) {
      const key = randomUUID()
      const described = names.describe({ key, digest: key }, { recipient: "", message: "" })
      const claim = { ...described, attempt: 0, caller: key, segments: 1 }
      yield* rule.claimOne(query, claim, { ticket: key, timeoutMillis: 0 })
      yield* query(`delete from ${dialect.table("send")} where key = $key and attempt = 0`, { key })
    })
  )

  const usable = Effect.andThen(rule.requireNewest, rule.address.required)

  return WholeJournal.of({
    sendOnce: makeSendOnce(rule, names, database.name, campaigns.begin, settle, inBackground),
    ...makeResolve(database, rule, names),
    prune: makePrune(database, rule),
    campaigns,
    lists: {
      // The command alone writes down how a list is read. The name of a campaign that is pruned stays.
      areBegun: Effect.map(
        read(`select 1 from ${dialect.table("setting")} where name = 'lists'
          union all select 1 from ${dialect.table("campaign")} where options is not null limit 1`),
        ({ length }) => length > 0
      ),
      begin: Effect.asVoid(store("lists", "'begun'"))
    },
    server: makeServer(database, rule, names, settle),
    operator: makeOperator(database, rule),
    address: rule.address,
    settle,
    usable,
    check: (wasLost) =>
      Effect.gen(function* () {
        yield* usable
        // SQLite does not write a row that stays the same, so a full disk shows only when the value is new.
        yield* store("checked", dialect.now)
        if (wasLost) yield* tryClaim
      }),
    digest,
    identify: names.identify,
    describe: names.describe,
    storedKey: names.storedKey,
    recipientDigest: names.recipientDigest
  })
})

/** `created` says that it is new; without it, the journal must be there. */
export const layerOf = <E, R>(
  connect: Effect.Effect<Database, E, R>,
  created: Effect.Effect<void> | undefined
) =>
  Layer.effect(
    WholeJournal,
    Effect.flatMap(connect, (database) => make(database, created))
  )
