import { afterAll, beforeAll, expect, it } from "vitest"
import {
  noPostgres,
  type PostgresServer,
  startPostgres
} from "../harness/journal/PostgresServer.ts"
import { guarded, speakModern, startGuarded } from "../harness/mcp/GuardedServer.ts"
import { startInProcess } from "../harness/mcp/InProcessServer.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const route = { era: "modern", over: "http" } as const

let postgres: PostgresServer | undefined

beforeAll(async () => {
  if (noPostgres === undefined) postgres = await startPostgres()
}, 60_000)

afterAll(() => postgres?.stop())

const stateOf = ({ config, port }: PostgresServer) => ({
  MESSAGING_TOPUP_MCP_STATE: "postgres",
  MESSAGING_TOPUP_MCP_STATE_URL: `postgres://${config.username}@127.0.0.1:${port}/postgres`,
  MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR: "20"
})

it("replicas on PostgreSQL share duplicates, limits and approvals, and survive its restart", async (context) => {
  if (postgres === undefined) return context.skip(noPostgres)
  await using upstream = await openSandbox()
  const environment = { ...upstream.env, ...stateOf(postgres) }
  await using one = await guarded(route, [], { environment })
  await using two = await guarded(route, [], { environment })
  const replica = (index: number) => (index % 2 === 0 ? one : two)
  const same = await Promise.all(
    Array.from({ length: 100 }, (_, index) => replica(index).send(sms))
  )
  expect(same.filter(({ duplicate }) => duplicate === false)).toHaveLength(1)
  expect(same.filter(({ duplicate }) => duplicate === true)).toHaveLength(99)
  const others = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      replica(index).send({ ...sms, message: `Text ${index}` })
    )
  )
  expect(others.filter(({ isError }) => !isError)).toHaveLength(19)
  expect(await upstream.messages()).toHaveLength(20)
  await postgres.crash()
  expect(await one.send(sms)).toMatchObject({ duplicate: true })
  expect(one.log.text()).not.toContain(String(postgres.port))
}, 60_000)

it("an approval that one replica redeemed is used for the other", async (context) => {
  if (postgres === undefined) return context.skip(noPostgres)
  await using upstream = await openSandbox()
  const args = ["--approval-key-file", import.meta.filename, "--duplicate-window", "0 seconds"]
  const environment = {
    ...upstream.env,
    ...stateOf(postgres),
    MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR: "1000"
  }
  await using first = await startGuarded("http", args, environment)
  await using second = await startGuarded("http", args, environment)
  const [one, two] = [await speakModern(first.open()), await speakModern(second.open())]
  const call = { arguments: { ...sms, message: "Approved once" } }
  const { requestState } = await one.request(call)
  const decided = {
    ...call,
    requestState,
    inputResponses: { confirm: { action: "accept", content: {} } }
  }
  expect(await two.request(decided)).toMatchObject({ structuredContent: { outcome: "sent" } })
  expect(await one.request(decided)).toMatchObject({
    isError: true,
    structuredContent: { code: "approval_used" }
  })
  expect(await upstream.messages()).toHaveLength(1)
}, 60_000)

it("without PostgreSQL nothing is sent, and its URL is in no result", async () => {
  await using upstream = await openSandbox()
  const secret = "pa55word-of-the-database"
  await using server = await guarded({ era: "modern", over: "stdio" }, [], {
    environment: {
      ...upstream.env,
      MESSAGING_TOPUP_MCP_STATE: "postgres",
      MESSAGING_TOPUP_MCP_STATE_URL: `postgres://user:${secret}@127.0.0.1:9/nothing`
    }
  })
  const refused = await server.send(sms)
  expect(refused.error).toMatchObject({ code: "memory_unavailable" })
  expect(JSON.stringify(refused) + server.log.text()).not.toContain(secret)
  expect(await upstream.requests()).toEqual([])
  const listed = startInProcess(["sends"], {
    env: {
      MESSAGING_TOPUP_MCP_STATE: "postgres",
      MESSAGING_TOPUP_MCP_STATE_URL: `postgres://user:${secret}@127.0.0.1:9/nothing`
    }
  })
  const ended = await listed.ended
  expect(ended.code).toBe(1)
  expect(ended.stderr).not.toContain(secret)
}, 60_000)
