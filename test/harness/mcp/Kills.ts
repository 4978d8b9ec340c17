/**
 * Kills a server repeatedly while its client sends. Then it repeats the call of every SMS that the
 * service accepted.
 */
import { setImmediate } from "node:timers/promises"
import { guarded, type Sms } from "./GuardedServer.ts"
import { callOf, openStdioProcess } from "./RawStdio.ts"
import { openSandbox } from "./RealSandbox.ts"
import type { Environment } from "./RunningServer.ts"

/** The suffixes of recipients for which the sandbox fails: see its README. */
const failingSuffixes = ["0900", "0500", "0402", "0902"]

/** Makes an SMS that differs from all others. The service fails for one in ten. */
const smsOf = (index: number): Sms => {
  const suffix =
    index % 10 === 0 ? failingSuffixes[(index / 10) % failingSuffixes.length] : String(1000 + index)
  return { recipient: `+1555${suffix}`, message: `Text ${index}` }
}

const random = (below: number): number => Math.floor(Math.random() * below)

export interface Report {
  readonly kills: number
  /** How many different SMS the service accepted. */
  readonly sent: number
  /** Texts that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /** Texts that the service accepted, and that the state has neither as sent nor as unknown. */
  readonly forgotten: ReadonlyArray<string>
  /** How many accepted SMS have an unknown outcome. */
  readonly unknown: number
}

const limits = {
  MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "*",
  MESSAGING_TOPUP_MCP_CONFIRM: "off",
  MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR: "100000",
  MESSAGING_TOPUP_MCP_MAX_SEGMENTS_PER_DAY: "100000"
}

/** `state` holds the variables that say where the state is stored. */
export const killRepeatedly = async (state: Environment, kills: number): Promise<Report> => {
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
  return {
    kills,
    sent: accepted.size,
    twice: [...accepted].filter((text) => texts.indexOf(text) !== texts.lastIndexOf(text)),
    forgotten,
    unknown
  }
}
