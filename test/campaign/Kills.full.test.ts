import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { journalFile } from "../journal/support/Files.ts"
import { killRepeatedly, type Report } from "./support/Kills.ts"
import { postgres } from "./support/Postgres.ts"

const kills = 10

const expectAtMostOnce = (report: Report, processes: number): void => {
  console.log(JSON.stringify(report))
  expect(report.twice).toEqual([])
  expect(report.forgotten).toEqual([])
  expect(report.others).toEqual([])
  expect(report.rows).toBe(kills * 60)
  const { attempting, pending, rejected, sent, unknown } = report.states
  expect([pending, attempting]).toEqual([0, 0])
  expect(sent + rejected + unknown).toBe(report.rows)
  // Unknown are: the rows whose number forces it, one row for each reset, and the requests in flight of
  // each killed process.
  expect(unknown).toBeLessThanOrEqual(report.rows / 10 + kills * (processes * 20 + 1))
}

const timeoutMillis = 180_000

describe(`a campaign whose processes are killed ${kills} times sends nothing twice and loses no row`, () => {
  const onPostgres = postgres()

  it.live(
    "with one process, and a journal in SQLite",
    () =>
      Effect.gen(function* () {
        expectAtMostOnce(yield* killRepeatedly(`sqlite:${yield* journalFile}`, kills), 1)
      }).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 }))),
    timeoutMillis
  )

  it.live(
    "with two workers, and journal and queue in PostgreSQL",
    onPostgres(({ port }) =>
      Effect.gen(function* () {
        expectAtMostOnce(yield* killRepeatedly(`postgres:${port}`, kills), 2)
      }).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })))
    ),
    timeoutMillis
  )
})
