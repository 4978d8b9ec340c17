import { describe, expect, it } from "@effect/vitest"
import { SendJournal } from "@messaging-topup/journal"
import { type JournalLocation, open } from "@messaging-topup/journal/open"
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../harness/TemporaryFolder.ts"
import { start } from "../harness/journal/Programs.ts"

const campaigns = (location: JournalLocation) =>
  Effect.flatMap(SendJournal, (journal) =>
    Effect.andThen(journal.campaigns.begin("c"), journal.campaigns.find("c"))
  ).pipe(Effect.provide(open(location)))

describe("a journal opened by its location", () => {
  it.effect("is in memory", () =>
    Effect.gen(function* () {
      expect(yield* campaigns({ _tag: "Memory" })).toMatchObject({ prunedAt: undefined })
    })
  )

  it.effect("is a file, in a folder that is created for its owner only", () =>
    Effect.gen(function* () {
      const outer = join(yield* folder, "a")
      const location = { _tag: "Sqlite", file: join(outer, "b", "journal.db") } as const
      yield* campaigns(location)
      expect(yield* campaigns(location)).toMatchObject({ prunedAt: undefined })
      for (const path of [outer, join(outer, "b")]) expect(statSync(path).mode & 0o777).toBe(0o700)
    })
  )

  it.effect("is refused if its folder cannot be created", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(campaigns({ _tag: "Sqlite", file: "/dev/null/journal.db" }))
      expect(error).toMatchObject({ _tag: "JournalUnavailable" })
    })
  )

  it.live("names the package to install if the driver of PostgreSQL is missing", () =>
    Effect.gen(function* () {
      const { nextLine } = yield* start("withoutDriver.ts")
      expect(JSON.parse(yield* Effect.promise(nextLine))).toMatchObject({
        problem: "driver-missing",
        message: expect.stringContaining("npm install @effect/sql-pg")
      })
    })
  )
})
