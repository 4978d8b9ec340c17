import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  noPostgres,
  type PostgresServer,
  startPostgres
} from "../harness/journal/PostgresServer.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { killRepeatedly, type Report } from "../harness/mcp/Kills.ts"

const kills = 10

const expectHonest = (report: Report): void => {
  console.log(JSON.stringify(report))
  expect(report.twice).toEqual([])
  expect(report.forgotten).toEqual([])
  expect(report.sent).toBeGreaterThan(kills * 15)
}

describe(`a server that is killed ${kills} times sends nothing twice and forgets nothing`, () => {
  let server: PostgresServer | undefined
  beforeAll(async () => {
    if (noPostgres === undefined) server = await startPostgres()
  }, 60_000)
  afterAll(() => server?.stop())

  it("with its state in a file", async () => {
    const file = join(temporaryFolder(), "sends.sqlite")
    const state = { MESSAGING_TOPUP_MCP_STATE: `sqlite:${file}` }
    expectHonest(await killRepeatedly(state, kills))
  })

  it("with its state in PostgreSQL", async (context) => {
    if (server === undefined) return context.skip(noPostgres)
    const { config, port } = server
    const address = `postgres://${config.username}@127.0.0.1:${port}/postgres`
    const state = {
      MESSAGING_TOPUP_MCP_STATE: "postgres",
      MESSAGING_TOPUP_MCP_STATE_URL: address
    }
    expectHonest(await killRepeatedly(state, kills))
  })
})
