/**
 * Kills a server whose client sends and sends, again and again; then calls every send that the service
 * accepted once more.
 */
import { Fault } from "@messaging-topup/sandbox"
import { setImmediate } from "node:timers/promises"
import { guarded, type Sms } from "./GuardedServer.ts"
import { callOf, openStdioProcess } from "./RawStdio.ts"
import { openSandbox } from "./RealSandbox.ts"
import type { Environment } from "./RunningServer.ts"

/** The ends of recipients that the sandbox treats badly: see its README. */
const badEnds = ["0900", "0500", "0402", "0902"]

/** One SMS of ten meets something bad, and each is different. */
const smsOf = (index: number): Sms => {
  const end = index % 10 === 0 ? badEnds[(index / 10) % badEnds.length] : String(1000 + index)
  return { recipient: `+1555${end}`, message: `Text ${index}` }
}

const random = (below: number): number => Math.floor(Math.random() * below)

export interface Report {
  readonly kills: number
  /** How many different SMS the service accepted. */
  readonly sent: number
  /** Texts that the service accepted more than once. */
  readonly twice: ReadonlyArray<string>
  /** Texts that the service accepted and the memory knows neither as sent nor as unknown. */
  readonly forgotten: ReadonlyArray<string>
  /** How many of those that were accepted are unknown. */
  readonly unknown: number
}

const limits = {
  MESSAGING_TOPUP_MCP_MAX_SENDS_PER_HOUR: "100000",
  MESSAGING_TOPUP_MCP_MAX_SEGMENTS_PER_DAY: "100000"
}

/** `state` says in variables where the memory is. */
export const killAgainAndAgain = async (state: Environment, kills: number): Promise<Report> => {
  await using upstream = await openSandbox()
  const env = { ...upstream.env, ...limits, ...state }
  let next = 0
  let unanswered: ReadonlyArray<Sms> = []

  for (let kill = 0; kill < kills; kill++) {
    await using client = await openStdioProcess("legacy", [], { env })
    const { length } = await upstream.received()
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
    // An assistant calls again what it heard nothing of.
    const again = unanswered.map(call)
    const calls = [...again, sendOn(), sendOn(), sendOn(), sendOn()]
    await upstream.awaitReceived(length + 1 + random(20))
    await upstream.setFault(Fault.ResetBeforeAcceptance(), { times: 1 })
    await upstream.awaitReceived(length + 21 + random(20))
    for (let turns = random(30); turns > 0; turns--) await setImmediate()
    client.server.process.kill("SIGKILL")
    await Promise.allSettled(calls)
    unanswered = [...open.values()]
  }

  const texts = (await upstream.accepted()).map(({ message }) => message)
  const accepted = new Set(texts)
  await using last = await guarded({ era: "legacy", over: "stdio" }, [], { environment: env })
  // Whatever was on its way at the last kill is no longer.
  last.pass("2 minutes")
  const forgotten: Array<string> = []
  let unknown = 0
  for (let index = 0; index < next; index++) {
    const sms = smsOf(index)
    if (!accepted.has(sms.message)) continue
    const result = await last.send(sms)
    if (result.error["outcome"] === "unknown") unknown++
    else if (result.duplicate !== true) forgotten.push(sms.message)
  }
  return {
    kills,
    sent: accepted.size,
    twice: [...accepted].filter((text) => texts.indexOf(text) !== texts.lastIndexOf(text)),
    forgotten,
    unknown
  }
}
