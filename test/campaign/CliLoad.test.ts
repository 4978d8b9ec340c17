import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { command, csvOf, fileOf, onSandbox, start, texts } from "./support/Command.ts"

describe("a load", () => {
  it.live("that was killed is not resumed, and its file is sent once by the next run", () =>
    Effect.gen(function* () {
      const count = 12_000
      const { journal } = yield* fileOf("")
      // The rows come from a stream that never ends: the process is killed in the middle of the load.
      const lines = csvOf(count).split("\n")
      const endless = (async function* () {
        yield lines.slice(0, 8_000).join("\n")
        await new Promise(() => {})
      })()
      const args = ["--yes", "--campaign", "c", "--journal", journal]
      const running = yield* start(["run", "-", "--format", "csv", ...args], {}, endless)
      const status = command(["status", "--campaign", "c", "--journal", journal])
      // Some rows are in the file, and none counts.
      const rowsInFile = Effect.map(status, ({ stdout }) => {
        if (!stdout.includes("loading")) return 0
        expect(stdout).toContain('"pending":0')
        const database = new DatabaseSync(journal.replace("sqlite:", ""), { readOnly: true })
        const found = database.prepare("select count(*) as count from send").get()
        database.close()
        return Number(found?.["count"])
      })
      yield* Effect.repeat(rowsInFile, {
        until: (rows) => rows > 0,
        schedule: Schedule.spaced("100 millis")
      })
      yield* running.kill("SIGKILL")
      yield* running.ended
      const resumed = yield* command(["resume", "--campaign", "c", "--journal", journal])
      expect(resumed.code).toBe(1)
      expect(resumed.stderr).toContain("not all in the journal, and nothing was sent")
      expect(yield* texts).toHaveLength(0)
      // The rows of the killed load are not there: the next load deletes them.
      const { file } = yield* fileOf(csvOf(100))
      const asked = yield* command(["run", file, "--campaign", "c", "--journal", journal], {
        columns: 80,
        stdin: ["n\n"]
      })
      expect(asked.stdout).toMatch(/ {2}new +100\n +sent already +0\n +recipients/)
      expect(asked.stderr).toContain("Send 100 SMS? [y/N]")
      const run = yield* command(["run", "-", "--format", "csv", ...args], {
        stdin: [csvOf(100)]
      })
      expect(run.code).toBe(0)
      expect(new Set(yield* texts).size).toBe(100)
      expect(yield* texts).toHaveLength(100)
    }).pipe(onSandbox)
  )

  it.live(
    "of a file with an unclosed quote leaves nothing, and the corrected file is sent once",
    () =>
      Effect.gen(function* () {
        const good = csvOf(8_000).split("\n")
        const { file, journal } = yield* fileOf(
          good.with(6_000, `${good[6_000]?.replace(",", ',"')}`).join("\n")
        )
        const args = ["run", file, "--yes", "--journal", journal]
        expect((yield* command(args)).code).toBe(1)
        const status = yield* command(["status", "--campaign", "rows", "--journal", journal])
        expect(status.stderr).toContain("has no campaign")
        writeFileSync(file, csvOf(50))
        expect((yield* command(args)).code).toBe(0)
        expect(yield* texts).toHaveLength(50)
      }).pipe(onSandbox)
  )
})
