/**
 * What a journal costs: the rows of a slice, sent with and without one.
 */
import * as Schema from "effect/Schema"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noPostgres, startPostgres } from "../test/journal/support/PostgresServer.ts"
import { withServer, withWorker } from "./child.ts"
import { alternate, type Contender, median, ratio, timingOf } from "./measure.ts"
import { type Row, type Section, targetColumns, times, verdict } from "./report.ts"

const token = "token-of-the-benchmark"
const withoutJournal = "none"
const rowsOfASlice = 500

const cost = Schema.decodeUnknownSync(
  Schema.Struct({ wall: Schema.Finite, processor: Schema.Finite })
)

type Places = ReadonlyArray<readonly [name: string, place?: string]>

/** Starts a process for each place, one inside the other, and then measures. */
const withContenders = async (
  url: string,
  [first, ...rest]: Places,
  contenders: ReadonlyArray<Contender> = []
): Promise<ReadonlyArray<Row>> => {
  if (first === undefined) {
    const timings = await alternate(contenders, { calls: rowsOfASlice })
    const none = timingOf(timings, withoutJournal)
    return timings.map((timing) => [
      timing.name,
      Math.round(1_000_000 / median(timing.micros)).toLocaleString("en"),
      times(1 / ratio(timing, none)),
      ...verdict()
    ])
  }
  const [name, ...place] = first
  const args = [url, token, ...place.filter((each) => each !== undefined)]
  return withWorker(new URL("journalRun.ts", import.meta.url), args, ({ ask }) =>
    withContenders(url, rest, [...contenders, { name, run: async () => cost(await ask("slice")) }])
  )
}

const measure = async (url: string): Promise<ReadonlyArray<Row>> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-journal-"))
  const postgres = noPostgres === undefined ? await startPostgres() : undefined
  const places: Places = [
    [withoutJournal],
    ["SQLite", `sqlite:${join(folder, "journal.db")}`],
    ...(postgres === undefined ? [] : [["PostgreSQL", `postgres:${postgres.port}`] as const])
  ]
  try {
    return await withContenders(url, places)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true })
  }
}

export const journal = async (): Promise<Section> => ({
  title: "A journal",
  text: `${rowsOfASlice} SMS to the sandbox, 50 at once, with \`core/node\`: without a journal, and as a slice of one,
from \`begin\` to \`end\`. Each claim is on the disk before its request leaves. The database is on this machine,
and shares its processors with client and sandbox.`,
  columns: ["journal", "rows a second", "to none", ...targetColumns],
  rows: await withServer(new URL("sandboxServer.ts", import.meta.url), measure, token)
})
