import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Campaign } from "@messaging-topup/campaign"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { env } from "node:process"
import { journalOf } from "../journal/support/JournalOf.ts"
import {
  noPostgres,
  type PostgresServer,
  startPostgres
} from "../journal/support/PostgresServer.ts"
import { killWorkers, type Report, rowsPerKill } from "./engines/KillWorkers.ts"
import { enqueueSingles, singles } from "./engines/Singles.ts"
import { end, type EngineName, freePort, startWorker } from "./engines/Worker.ts"
import { rows } from "./support/Rows.ts"

/** More of them for figures: `KILLS=20`. */
const kills = Number(env["KILLS"] ?? 4)

const enough = 90_000 + Math.max(0, kills - 4) * 10_000

/** The most that a process claims before it sends: a tenth of a second's rate. */
const claimedAtOnce = 5

const expectHonest = (report: Report): void => {
  console.log(JSON.stringify(report))
  expect(report.twice).toEqual([])
  expect(report.forgotten).toEqual([])
  expect(report.rows).toBe(kills * rowsPerKill)
  const { accepted, attempting, pending, rejected, unknown } = report.states
  expect([pending, attempting]).toEqual([0, 0])
  expect(accepted + rejected + unknown).toBe(report.rows)
  // What ends unknown by itself, what a reset leaves, and what each kill cuts off. Requests that take
  // long add to the latter: room for twice as many.
  expect(unknown).toBeLessThanOrEqual(report.rows / 20 + kills * (1 + 2 * claimedAtOnce))
}

let server: PostgresServer | undefined
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

const needsPostgres =
  (test: (port: number) => Effect.Effect<void, unknown, Sandbox>) =>
  (context: { readonly skip: (why?: string) => never }) =>
    server === undefined
      ? context.skip(noPostgres)
      : test(server.port).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })))

describe(`two workers that are killed ${kills} times send nothing twice and lose no row`, () => {
  it.live(
    "of Effect Cluster",
    needsPostgres((port) =>
      Effect.map(killWorkers({ name: "cluster" }, port, kills), expectHonest)
    ),
    enough
  )

  it.live(
    "of graphile-worker",
    needsPostgres((port) =>
      Effect.map(
        killWorkers({ name: "graphile-worker", offersAtStart: true }, port, kills),
        expectHonest
      )
    ),
    enough
  )

  it.live(
    "of pg-boss, with single SMS that are enqueued again and again",
    needsPostgres((port) =>
      Effect.gen(function* () {
        const engine = { name: "pg-boss", enqueueSingles: enqueueSingles(port) } as const
        const report = yield* killWorkers(engine, port, kills)
        expectHonest(report)
        expect(singles).toEqual(expect.arrayContaining([...report.singles]))
        expect(report.singles.length).toBeGreaterThanOrEqual(singles.length - kills)
      })
    ),
    enough
  )
})

/** A worker in the middle of a slice is told to end. */
const expectCleanEnd = Effect.fnUntraced(function* (engine: EngineName, port: number) {
  const campaign = `${engine} ends`
  const { awaitReceived } = yield* Sandbox
  yield* Campaign.load(campaign, rows(500))
  const place = { database: port, runner: yield* freePort }
  const worker = yield* startWorker(engine, place, campaign)
  yield* awaitReceived(20)
  yield* Effect.timeout(
    Effect.promise(() => end(worker, "SIGTERM")),
    "40 seconds"
  )
  const { counts } = yield* Campaign.status(campaign)
  expect(counts).toMatchObject({ attempting: 0, rejected: 0, unknown: 0 })
})

describe("a worker that is told to end leaves nothing unknown", () => {
  for (const engine of ["workers", "cluster", "graphile-worker", "pg-boss"] as const) {
    it.live(
      `of ${engine}.ts`,
      needsPostgres((port) =>
        expectCleanEnd(engine, port).pipe(
          Effect.scoped,
          Effect.provide(journalOf(`postgres:${port}`))
        )
      ),
      enough
    )
  }
})
