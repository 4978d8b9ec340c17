import { describe, expect, it } from "@effect/vitest"
import { Campaign } from "@messaging-topup/campaign"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { env } from "node:process"
import { journalOf } from "../journal/support/JournalOf.ts"
import { killWorkers, rowsPerKill } from "./engines/KillWorkers.ts"
import { enqueueSingles, singles } from "./engines/Singles.ts"
import { freePort } from "../support/FreePort.ts"
import { type EngineName, startWorker } from "./engines/Worker.ts"
import { end, type Report } from "./support/Kills.ts"
import { postgres } from "./support/Postgres.ts"
import { rows } from "./support/Rows.ts"

/** `KILLS=20` for the figures in the docs. */
const kills = Number(env["KILLS"] ?? 4)

const timeoutMillis = 90_000 + Math.max(0, kills - 4) * 10_000

/** The maximum of rows that a process claims before it sends them: the rate of a tenth of a second. */
const maxClaimed = 5

const expectAtMostOnce = (report: Report): void => {
  console.log(JSON.stringify(report))
  expect(report.twice).toEqual([])
  expect(report.forgotten).toEqual([])
  expect(report.rows).toBe(kills * rowsPerKill)
  const { attempting, pending, rejected, sent, unknown } = report.states
  expect([pending, attempting]).toEqual([0, 0])
  expect(sent + rejected + unknown).toBe(report.rows)
  // Unknown are: the rows whose number forces it, one row for each reset, and the claimed rows of each
  // killed process. Slow requests add to the last ones, so twice as many are allowed.
  expect(unknown).toBeLessThanOrEqual(report.rows / 20 + kills * (1 + 2 * maxClaimed))
}

const onPostgres = postgres()

const needsPostgres = (test: (port: number) => Effect.Effect<void, unknown, Sandbox>) =>
  onPostgres(({ port }) =>
    test(port).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })))
  )

describe(`two workers that are killed ${kills} times send nothing twice and lose no row`, () => {
  it.live(
    "of Effect Cluster",
    needsPostgres((port) =>
      Effect.map(killWorkers({ name: "cluster" }, port, kills), expectAtMostOnce)
    ),
    timeoutMillis
  )

  it.live(
    "of graphile-worker",
    needsPostgres((port) =>
      Effect.map(
        killWorkers({ name: "graphile-worker", offersAtStart: true }, port, kills),
        expectAtMostOnce
      )
    ),
    timeoutMillis
  )

  it.live(
    "of pg-boss, with single SMS that are enqueued repeatedly",
    needsPostgres((port) =>
      Effect.gen(function* () {
        const engine = { name: "pg-boss", enqueueSingles: enqueueSingles(port) } as const
        const report = yield* killWorkers(engine, port, kills)
        expectAtMostOnce(report)
        expect(singles).toEqual(expect.arrayContaining([...report.others]))
        expect(report.others.length).toBeGreaterThanOrEqual(singles.length - kills)
      })
    ),
    timeoutMillis
  )
})

/** Sends SIGTERM to a worker in the middle of a slice. */
const expectCleanEnd = Effect.fnUntraced(function* (engine: EngineName, port: number) {
  const campaign = `${engine} ends`
  const { until } = yield* Sandbox
  yield* Campaign.load(campaign, rows(500))
  const place = { database: port, runner: yield* Effect.promise(freePort) }
  const worker = yield* startWorker(engine, place, campaign)
  yield* until(({ requests }) => requests.length >= 20)
  yield* Effect.timeout(
    Effect.promise(() => end(worker, "SIGTERM")),
    "40 seconds"
  )
  const { counts } = yield* Campaign.status(campaign)
  expect(counts).toMatchObject({ attempting: 0, rejected: 0, unknown: 0 })
})

describe("a worker that gets SIGTERM leaves no row unknown", () => {
  for (const engine of ["workers", "cluster", "graphile-worker", "pg-boss"] as const) {
    it.live(
      `of ${engine}.ts`,
      needsPostgres((port) =>
        expectCleanEnd(engine, port).pipe(
          Effect.scoped,
          Effect.provide(journalOf(`postgres:${port}`))
        )
      ),
      timeoutMillis
    )
  }
})
