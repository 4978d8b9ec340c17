import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { journalFile } from "./support/Files.ts"
import { noPostgres, type PostgresServer, startPostgres } from "./support/PostgresServer.ts"
import { start } from "./support/Programs.ts"

const count = 400_000

interface Run {
  readonly read: number
  readonly kept: ReadonlyArray<number>
  readonly maxRss: number
}

/** Expects that the heap grows by less than 10 bytes per row after the first rows. */
const expectFlat = Effect.fnUntraced(function* (place: string) {
  const program = yield* start("manyRows.ts", place, String(count))
  const line = yield* program.nextLine
  console.log(place.split(":")[0], line)
  const { kept, maxRss, read }: Run = JSON.parse(line)
  expect(read).toBe(count)
  const [early = 0] = kept
  expect(Math.max(...kept) - early).toBeLessThan(4)
  expect(maxRss).toBeLessThan(512)
})

describe("400,000 rows are appended and read in slices with flat memory", () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgres()
  })
  afterAll(() => server?.stop())

  it.live(
    "in SQLite",
    () => Effect.flatMap(journalFile, (file) => expectFlat(`sqlite:${file}`)),
    180_000
  )

  it.live(
    "in PostgreSQL",
    (context) =>
      server === undefined ? context.skip(noPostgres) : expectFlat(`postgres:${server.port}`),
    180_000
  )
})
