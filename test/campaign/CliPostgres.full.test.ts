import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  noPostgres,
  type PostgresServer,
  startPostgres
} from "../journal/support/PostgresServer.ts"
import { alone, command, csvOf, fileOf, onSandbox, texts } from "./support/Command.ts"

if (noPostgres !== undefined) console.warn(`The tests on PostgreSQL are skipped: ${noPostgres}`)

let server: PostgresServer
beforeAll(async () => {
  if (noPostgres === undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

const variable = "MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL"

it.live("a campaign is sent on PostgreSQL, and another command sees it", (context) => {
  if (noPostgres !== undefined) context.skip(noPostgres)
  return Effect.gen(function* () {
    const env = { [variable]: `postgres://journal@127.0.0.1:${server.port}/postgres` }
    const { file } = yield* fileOf(csvOf(20))
    const run = yield* command(["run", file, "--yes", "--journal", "postgres"], { env })
    expect(run.code).toBe(0)
    expect(yield* texts).toHaveLength(20)
    const args = ["status", "--campaign", "rows", "--journal", "postgres"]
    const { events } = yield* alone(args, { env })
    expect(events).toMatchObject([{ state: "running", counts: { sent: 20 } }])
  }).pipe(onSandbox)
})

it.live("the error of a missing database is one line, without its address", () =>
  Effect.gen(function* () {
    const env = { [variable]: "postgres://journal:secret@127.0.0.1:1/postgres" }
    const args = ["status", "--campaign", "rows", "--journal", "postgres"]
    const { code, stderr } = yield* alone(args, { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The journal is not available/)
    expect(stderr).not.toMatch(/secret|127/)
  })
)
