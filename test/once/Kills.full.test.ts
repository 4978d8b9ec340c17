/**
 * Kills a server repeatedly while its client sends. Then it repeats the call of every SMS that the
 * service accepted.
 */
import { join } from "node:path"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { postgres, urlOf } from "../harness/journal/PostgresServer.ts"
import { guarded, type Sms } from "../harness/mcp/GuardedServer.ts"
import { callOf, openStdioProcess } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import type { Environment } from "../harness/mcp/Server.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const kills = 10

/** The suffixes of recipients for which the sandbox fails: see its README. */
const failingSuffixes = ["0900", "0500", "0402", "0902"]

/** Makes an SMS that differs from all others. The service fails for one in ten. */
const smsOf = (index: number): Sms => {
  const suffix =
    index % 10 === 0 ? failingSuffixes[(index / 10) % failingSuffixes.length] : String(1000 + index)
  return { recipient: `+1555${suffix}`, message: `Text ${index}` }
}

const random = (below: number): number => Math.floor(Math.random() * below)

const limits = {
  MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "*",
  MESSAGING_TOPUP_MCP_CONFIRM: "off",
  MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR: "100000"
}

/** `state` holds the variables that say where the state is stored. */
const expectHonestUnderKills = async (state: Environment) => {
  await using upstream = await openSandbox()
  const env = { ...upstream.env, ...limits, ...state }
  let next = 0
  let withoutResult: ReadonlyArray<Sms> = []

  for (let kill = 0; kill < kills; kill++) {
    await using client = await openStdioProcess("legacy", [], { env })
    const { length } = await upstream.requests()
    const open = new Map<number, Sms>()
    let id = 0
    const call = async (sms: Sms) => {
      const number = ++id
      open.set(number, sms)
      await client.ask(callOf("legacy", number, "send_sms", sms))
      open.delete(number)
    }
    const sendOn = async (): Promise<void> => {
      while (true) await call(smsOf(next++))
    }
    // An assistant repeats the calls that returned no result.
    const again = withoutResult.map(call)
    const calls = [...again, sendOn(), sendOn(), sendOn(), sendOn()]
    const some = length + 1 + random(20)
    await upstream.until(({ requests }) => requests.length >= some)
    await upstream.setFault({ fault: "ResetBeforeAcceptance", times: 1 })
    const more = some + 20
    await upstream.until(({ requests }) => requests.length >= more)
    for (let turns = random(30); turns > 0; turns--) await setImmediate()
    client.server.process.kill("SIGKILL")
    await Promise.allSettled(calls)
    withoutResult = [...open.values()]
  }

  const texts = (await upstream.messages()).map(({ message }) => message)
  const accepted = new Set(texts)
  await using last = await guarded({ era: "legacy", over: "stdio" }, [], { environment: env })
  // The sends in flight at the last kill are stale after this.
  last.pass("2 minutes")
  const forgotten: Array<string> = []
  let unknown = 0
  const sent = Array.from({ length: next }, (_, index) => smsOf(index))
  // All at once: on PostgreSQL time does not pass, and each call waits for one that a killed server began.
  await Promise.all(
    sent
      .filter(({ message }) => accepted.has(message))
      .map(async (sms) => {
        const result = await last.send(sms)
        if (result.error["outcome"] === "unknown") unknown++
        else if (result.duplicate !== true) forgotten.push(sms.message)
      })
  )
  console.log(JSON.stringify({ kills, accepted: accepted.size, unknown }))
  const twice = texts.filter((text, index) => texts.indexOf(text) !== index)
  // The state has each as sent or as unknown.
  expect({ twice, forgotten }).toEqual({ twice: [], forgotten: [] })
  expect(accepted.size).toBeGreaterThan(kills * 15)
}

describe(`a server that is killed ${kills} times sends nothing twice and forgets nothing`, () => {
  const onPostgres = postgres()

  it("with its state in a file", () =>
    expectHonestUnderKills({
      MESSAGING_TOPUP_JOURNAL: join(temporaryFolder(), "sends.sqlite")
    }))

  it(
    "with its state in PostgreSQL",
    onPostgres(({ port }) =>
      expectHonestUnderKills({
        MESSAGING_TOPUP_JOURNAL: urlOf(port)
      })
    )
  )
})
