import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { journalFile } from "./support/Files.ts"
import { killRepeatedly, type Report } from "./support/Kills.ts"
import { noPostgres, type PostgresServer, startPostgres } from "./support/PostgresServer.ts"

/** `KILLS=30` repeats the figures of the decision. */
const kills = Number(process.env["KILLS"] ?? 5)

const expectAtMostOnce = (report: Report): void => {
  console.log(JSON.stringify(report))
  expect(report).toMatchObject({ twice: [], forgotten: [], untrue: [] })
  expect(report.accepted).toBeGreaterThan(kills * 40)
}

/** Together, because each waits at its end until the claims of the killed programs are old. */
describe.concurrent("programs that are killed send nothing twice and forget nothing", () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgres()
  })
  afterAll(() => server?.stop())
  const sandbox = Sandbox.layer({ maxRequests: 1_000_000, maxMessages: 1_000_000 })

  it.live.each([1, 2])("%i at a time, with a journal in SQLite", (processes) =>
    Effect.gen(function* () {
      const file = `sqlite:${yield* journalFile}`
      expectAtMostOnce(yield* killRepeatedly(file, kills, processes))
    }).pipe(Effect.provide(sandbox))
  )

  it.live("three at a time, with a journal in PostgreSQL", (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const place = `postgres:${server.port}`
    return Effect.flatMap(killRepeatedly(place, kills, 3), (report) =>
      Effect.sync(() => expectAtMostOnce(report))
    ).pipe(Effect.provide(sandbox))
  })
})
