import { setImmediate } from "node:timers/promises"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { approve } from "../harness/mcp/GuardedServer.ts"
import {
  type Combination,
  combinations,
  connect,
  type ConnectSettings
} from "../harness/mcp/McpClients.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"

const sms = { recipient: slowRecipient, message: "Hello" }

/** The clients of the SDK give up on a call after 60 seconds. */
const gaveUp = /timed out/i

/** Turns of the event loop: what is on its way arrives. */
const turns = async (count: number, isOver = () => false): Promise<void> => {
  for (let turn = 0; turn < count && !isOver(); turn++) await setImmediate()
}

/** A client of the SDK that hears of its calls. Timers run only when the test says so, those of both sides. */
const open = async (combination: Combination, settings: ConnectSettings) => {
  const client = await connect(combination, settings)
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const heard: Array<unknown> = []
  return {
    client,
    heard,
    send: (isTold: boolean, signal?: AbortSignal) => {
      const onprogress = (told: unknown) => void heard.push(told)
      const options = isTold ? { onprogress, resetTimeoutOnProgress: true } : {}
      return client.callTool("send_sms", sms, { ...options, ...(signal && { signal }) })
    },
    /** Passes so many times 15 seconds, and waits after each until the client has heard of the call. */
    pass: async (times: number, isTold: boolean) => {
      for (let time = 0; time < times; time++) {
        const before = heard.length
        vi.advanceTimersByTime(15_000)
        if (isTold) await turns(10_000, () => heard.length > before)
        await turns(20)
      }
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]()
  }
}

/** A person who takes as long as the test says. */
const slowPerson = () => {
  const asked = Promise.withResolvers<void>()
  const decision = Promise.withResolvers<unknown>()
  return {
    asked: asked.promise,
    accept: () => decision.resolve(approve),
    decides: () => {
      asked.resolve()
      return decision.promise
    }
  }
}

const names = combinations.map((each) => [`${each.kind} over ${each.transport}`, each] as const)

// In the modern era, a question ends its call.
const duringCalls = names.filter(([, { kind }]) => kind !== "2.x modern")

describe.each(duringCalls)("a person who is asked by a client %s", (_, combination) => {
  it("has longer than a silent call, if the client asks for progress", async () => {
    await using sandbox = await openSandbox()
    const person = slowPerson()
    const settings = { environment: sandbox.env, person: person.decides }
    await using opened = await open(combination, settings)
    const { client, heard, pass, send } = opened
    const call = send(true)
    await person.asked
    await pass(5, true)
    expect(heard).toEqual(
      [15, 30, 45, 60, 75].map((progress) => ({
        progress,
        message: "Waiting for the person to decide"
      }))
    )
    person.accept()
    await sandbox.until(({ requests }) => requests.length >= 1)
    await pass(1, true)
    expect(heard.at(-1)).toEqual({ progress: 90, message: "Still working" })
    await sandbox.hurry()
    expect(await call).toMatchObject({ structuredContent: { outcome: "sent" } })
    await pass(4, false)
    expect(heard).toHaveLength(6)
    expect(client.problems).toEqual([])
  })

  it("is told of no more when the client gives up", async () => {
    await using sandbox = await openSandbox()
    const person = slowPerson()
    const settings = { environment: sandbox.env, person: person.decides }
    await using opened = await open(combination, settings)
    const { client, heard, pass, send } = opened
    const gone = new AbortController()
    const call = send(true, gone.signal).catch(String)
    await person.asked
    await pass(1, true)
    gone.abort()
    await call
    // When another call has its result, the server has noticed it.
    await client.callTool("preview_sms", { message: "Hello" })
    await turns(20)
    await pass(4, false)
    expect(heard).toHaveLength(1)
    expect(client.problems.filter((problem) => problem.includes("progress"))).toEqual([])
    expect(await sandbox.requests()).toEqual([])
  })

  it("is no longer asked after 60 seconds by a call without a token, which hears nothing", async () => {
    await using sandbox = await openSandbox()
    const person = slowPerson()
    const settings = { environment: sandbox.env, person: person.decides }
    await using opened = await open(combination, settings)
    const { client, heard, pass, send } = opened
    const call = send(false).catch(String)
    await person.asked
    await pass(4, false)
    expect(await call).toMatch(gaveUp)
    person.accept()
    await turns(20)
    expect([heard, client.problems]).toEqual([[], []])
    expect(await sandbox.requests()).toEqual([])
  })
})

describe.each(names)("a long call of a client %s", (_, combination) => {
  it.each([
    ["is told of", true],
    ["without a token is silent", false]
  ])("%s", async (_title, isTold) => {
    await using sandbox = await openSandbox()
    await using opened = await open(combination, { environment: sandbox.unasked })
    const { client, heard, pass, send } = opened
    const call = send(isTold)
    await sandbox.until(({ requests }) => requests.length >= 1)
    await pass(1, isTold)
    expect(heard).toEqual(isTold ? [{ progress: 15, message: "Still working" }] : [])
    await sandbox.hurry()
    expect(await call).toMatchObject({ structuredContent: { outcome: "sent" } })
    await pass(4, false)
    expect(heard).toHaveLength(isTold ? 1 : 0)
    expect(client.problems).toEqual([])
  })
})
