import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { journalFile } from "./support/Files.ts"
import { killRepeatedly, type Report } from "./support/Kills.ts"
import { start } from "./support/Programs.ts"
import { noPostgres, type PostgresServer, startPostgres } from "./support/PostgresServer.ts"

const kills = 10

const expectAtMostOnce = (report: Report): void => {
  console.log(JSON.stringify(report))
  expect(report.twice).toEqual([])
  expect(report.lost).toEqual([])
  expect(report.states["pending"]).toBeUndefined()
  expect(report.states["attempting"]).toBeUndefined()
  expect(report.sent).toBeGreaterThan(kills * 40)
}

describe(`a program that is killed ${kills} times sends nothing twice and forgets nothing`, () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgres()
  })
  afterAll(() => server?.stop())

  it.live("with a journal in SQLite", () =>
    Effect.gen(function* () {
      expectAtMostOnce(yield* killRepeatedly(`sqlite:${yield* journalFile}`, kills))
    }).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })))
  )

  it.live("with a journal in PostgreSQL", (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const { port } = server
    return Effect.gen(function* () {
      expectAtMostOnce(yield* killRepeatedly(`postgres:${port}`, kills))
    }).pipe(Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })))
  })
})

it.live("a process that is killed while it opens or closes its journal leaves one that opens", () =>
  Effect.gen(function* () {
    const file = yield* journalFile
    for (let kill = 0; kill < 2 * kills; kill++) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const program = yield* start("reopen.ts", file)
          yield* program.nextLine
          yield* Effect.sleep(100 + Math.floor(Math.random() * 100))
        })
      )
      yield* Effect.provide(SendJournal, Sqlite.layer(file))
    }
  })
)
