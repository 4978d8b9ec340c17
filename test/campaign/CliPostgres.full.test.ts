import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "../harness/campaign/Command.ts"
import { postgres, urlOf } from "../harness/campaign/Postgres.ts"

const onPostgres = postgres()

const variable = "MESSAGING_TOPUP_JOURNAL"

it.live(
  "a campaign is sent on PostgreSQL, and another command sees it",
  onPostgres(({ port }) =>
    Effect.gen(function* () {
      const env = { [variable]: urlOf(port) }
      const { file } = yield* fileOf(csvOf(20))
      const run = yield* command(["run", file, "--yes", "--journal", "postgres"], { env })
      expect(run.code).toBe(0)
      expect(yield* texts).toHaveLength(20)
      const { stdout } = yield* alone(["results", file, "--journal", "postgres"], { env })
      expect(stdout.match(/,sent,/g)).toHaveLength(20)
    }).pipe(onSandbox)
  )
)

it.live("the error of a missing database is one line, without its address", () =>
  Effect.gen(function* () {
    const env = { [variable]: "postgres://journal:secret@127.0.0.1:1/postgres" }
    const args = ["report", "--campaign", "rows", "--journal", "postgres"]
    const { code, stderr } = yield* alone(args, { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The journal is not available/)
    expect(stderr).not.toMatch(/secret|127/)
  })
)
