/**
 * Kills a sending program a hundred times, on SQLite and on PostgreSQL: about two minutes each.
 *
 *     node test/journal/programs/kill.ts [kills]
 */
import { Sandbox } from "@messaging-topup/sandbox"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { journalFile } from "../support/Files.ts"
import { killRepeatedly, type Report } from "../support/Kills.ts"
import { noPostgres, startPostgres } from "../support/PostgresServer.ts"

const [, , kills = "100"] = process.argv

const killing = (place: string) =>
  killRepeatedly(place, Number(kills)).pipe(
    Effect.tap((report) => Console.log(place.split(":")[0], JSON.stringify(report))),
    Effect.provide(Sandbox.layer({ maxRequests: 1_000_000 })),
    Effect.scoped
  )

const inSqlite = Effect.flatMap(journalFile, (file) => killing(`sqlite:${file}`))

const inPostgres =
  noPostgres === undefined
    ? Effect.flatMap(
        Effect.acquireRelease(Effect.promise(startPostgres), ({ stop }) => Effect.promise(stop)),
        ({ port }) => killing(`postgres:${port}`)
      )
    : Effect.as(Console.log(`skipped: ${noPostgres}`), undefined)

const isBad = (report: Report | undefined): boolean =>
  report !== undefined && report.twice.length + report.lost.length > 0

const reports = await Effect.runPromise(Effect.scoped(Effect.all([inSqlite, inPostgres])))
process.exitCode = reports.some(isBad) ? 1 : 0
