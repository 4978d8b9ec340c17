/**
 * Two lists of one text to the same numbers, under two names, by two processes of the command. Both have looked at
 * the journal and found nothing when the first of them claims.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { DatabaseSync } from "node:sqlite"
import { startCounting } from "../harness/campaign/CountingService.ts"
import { fileOf, main } from "../harness/Command.ts"
import { configOf, journalOf } from "../harness/journal/JournalOf.ts"
import { postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { type Running, startScoped } from "../harness/Process.ts"
import { runs } from "../harness/Runs.ts"
import { journalFile } from "../harness/TemporaryFolder.ts"

const starts = runs(50)
const rowCount = 12
const timeoutMillis = 600_000

/** A journal, and how all that writes to it is held up, while reading goes on. */
interface Place {
  readonly place: string
  /** The value of the option `--journal`, and the variables. */
  readonly journal: string
  readonly env: Readonly<Record<string, string>>
  readonly holding: <A, E, R>(use: Effect.Effect<A, E, R>) => Effect.Effect<A, unknown, R>
}

const inFile = (file: string): Place => ({
  place: `sqlite:${file}`,
  journal: file,
  env: {},
  holding: (use) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const database = new DatabaseSync(file)
        database.exec("begin immediate")
        return database
      }),
      () => use,
      (database) => Effect.sync(() => database.close())
    )
})

const inDatabase = (port: number): Place => ({
  place: `postgres:${port}`,
  journal: "postgres",
  env: { MESSAGING_TOPUP_JOURNAL: urlOf(port) },
  holding: (use) =>
    Effect.gen(function* () {
      const client = yield* PgClient.PgClient
      const isHeld = yield* Deferred.make<void>()
      const ends = yield* Deferred.make<void>()
      const lock = client`lock table messaging_topup_journal.campaign in share mode`
      const held = Effect.andThen(lock, Deferred.succeed(isHeld, undefined))
      const holder = yield* Effect.forkChild(
        client.withTransaction(Effect.andThen(held, Deferred.await(ends)))
      )
      yield* Deferred.await(isHeld)
      return yield* Effect.ensuring(
        use,
        Effect.andThen(Deferred.succeed(ends, undefined), Fiber.await(holder))
      )
    }).pipe(Effect.provide(PgClient.layer(configOf(port))))
})

const endOf = async ({ ended }: Running) => {
  const { code, stderr, stdout } = await ended
  const last: Readonly<Record<string, unknown>> = JSON.parse(
    stdout.trimEnd().split("\n").at(-1) || "{}"
  )
  expect(last["event"], stderr).toBe("Ended")
  return { code, sent: Number(last["sent"]), repeated: Number(last["repeated"]) }
}

/** Each number has a text of its own, by which the service counts. */
const listOf = (start: number, from: number): string => {
  const indexes = Array.from({ length: rowCount }, (_, index) => (from + index) % rowCount)
  const lines = indexes.map((index) => {
    const number = 1_000_000 + start * rowCount + index
    return `+1555${number}7,Hello ${number},${index}\n`
  })
  return `recipient,message,key\n${lines.join("")}`
}

const beginTogether = Effect.fnUntraced(function* ({ env, holding, journal, place }: Place) {
  const { accepted, env: service } = yield* startCounting({ millis: 5 })
  const shares = new Set<number>()
  for (let start = 0; start < starts; start++) {
    const names = [`one ${start}`, `other ${start}`]
    yield* Effect.forEach(names, (name) =>
      Effect.flatMap(SendJournal, ({ campaigns }) => campaigns.begin(name))
    ).pipe(Effect.provide(journalOf(place), { local: true }))
    const run = Effect.fnUntraced(function* (campaign: string, index: number) {
      // Of the same people, each list begins with others.
      const { file } = yield* fileOf(listOf(start, (index * rowCount) / 2))
      return yield* startScoped(
        [main, "run", file, "--campaign", campaign, "--journal", journal, "--yes"],
        { env: { ...service, ...env } }
      )
    })
    const ends = yield* Effect.gen(function* () {
      const children = yield* holding(
        Effect.tap(Effect.forEach(names, run), (running) =>
          Effect.promise(() =>
            Promise.all(running.map(({ until }) => until(/^{"event":"Compared".*/m)))
          )
        )
      )
      return yield* Effect.promise(() => Promise.all(children.map(endOf)))
    }).pipe(Effect.scoped)
    for (const { code, repeated, sent } of ends) {
      expect(sent + repeated).toBe(rowCount)
      expect(code).toBe(repeated === 0 ? 0 : 3)
      shares.add(sent)
    }
    expect(ends.reduce((sum, { sent }) => sum + sent, 0)).toBe(rowCount)
  }
  console.log(
    `${starts} starts on ${place.split(":")[0]}: ${[...shares].toSorted((a, b) => a - b).join(", ")}`
  )
  expect([...accepted.values()].filter((times) => times > 1)).toEqual([])
  expect(accepted.size).toBe(starts * rowCount)
}, Effect.scoped)

const onPostgres = postgres()

describe.concurrent("of two lists that begin together, nobody gets two SMS", () => {
  it.live(
    "on one machine",
    () => Effect.scoped(Effect.flatMap(journalFile, (file) => beginTogether(inFile(file)))),
    timeoutMillis
  )

  it.live(
    "on two, with PostgreSQL",
    onPostgres(({ port }) => beginTogether(inDatabase(port))),
    timeoutMillis
  )
})
