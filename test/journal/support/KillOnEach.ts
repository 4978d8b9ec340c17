/** Runs a test that kills processes, on SQLite and on PostgreSQL, and prints the reports. */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { journalFile } from "./Files.ts"
import { noPostgres, startPostgres } from "./PostgresServer.ts"

/** Sets the exit code to 1 if a report is bad. */
export const killOnEach = async <Report, E>(
  killRepeatedly: (place: string, kills: number) => Effect.Effect<Report, E, Sandbox | Scope.Scope>,
  isBad: (report: Report) => boolean
): Promise<void> => {
  const [, , kills = "100"] = process.argv
  const killing = (place: string) =>
    killRepeatedly(place, Number(kills)).pipe(
      Effect.tap((report) => Console.log(place.split(":")[0], JSON.stringify(report))),
      Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })),
      Effect.scoped,
      Effect.map(isBad)
    )
  const inSqlite = Effect.flatMap(journalFile, (file) => killing(`sqlite:${file}`))
  const inPostgres =
    noPostgres === undefined
      ? Effect.flatMap(
          Effect.acquireRelease(Effect.promise(startPostgres), ({ stop }) => Effect.promise(stop)),
          ({ port }) => killing(`postgres:${port}`)
        )
      : Effect.as(Console.log(`skipped: ${noPostgres}`), false)
  const bad = await Effect.runPromise(Effect.scoped(Effect.all([inSqlite, inPostgres])))
  process.exitCode = bad.includes(true) ? 1 : 0
}
