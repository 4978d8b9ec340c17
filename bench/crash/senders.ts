/**
 * The senders that crash, each run as its documentation says, and started again.
 */
import type { Client } from "@modelcontextprotocol/client"
import { appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { type Running as Process, runNode, startNode } from "../../test/harness/Process.ts"
import { start } from "../child.ts"
import { withVersion } from "../contenders.ts"
import { open, prepare } from "../mcpServers.ts"
import { command } from "../million.ts"
import { environmentOf, smsOf, type Trial } from "./trial.ts"

interface Running {
  /** Sends the SMS of one key, and returns when that is recorded. */
  readonly send: (key: string) => Promise<unknown>
  readonly kill: () => Promise<unknown>
}

export interface Sender {
  readonly name: string
  readonly start: (trial: Trial) => Promise<Running>
  /** Starts it again, and returns what it says of each key when nothing is in flight. */
  readonly report: (trial: Trial, keys: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
}

const program = (name: string, label: string): Sender => {
  const startProgram = (trial: Trial) =>
    start(new URL("program.ts", import.meta.url), name, JSON.stringify(trial))
  return {
    name: label,
    start: async (trial) => {
      const { ask, stop } = await startProgram(trial)
      return { send: (key) => ask([key]), kill: () => stop("SIGKILL") }
    },
    report: async (trial, keys) => {
      const { ask, stop } = await startProgram(trial)
      const words = (await ask([...keys])) as ReadonlyArray<string>
      await stop()
      return words
    }
  }
}

const listOf = ({ folder }: Trial): string => join(folder, "list.csv")

const runArgs = (trial: Trial) => [command, "run", listOf(trial), "--yes"]

/** The command with a list to which rows are added. */
const run: Sender = {
  name: "`run list.csv`",
  start: async (trial) => {
    const list = listOf(trial)
    const env = environmentOf(trial)
    let running: Process | undefined
    // A sender that is started again has a journal.
    if (!existsSync(list)) await runNode([command, "init", "--yes"], { env })
    return {
      send: (key) => {
        const { message, recipient } = smsOf(key)
        const head = existsSync(list) ? "" : "recipient,message\n"
        appendFileSync(list, `${head}${recipient},${message}\n`)
        running = startNode(runArgs(trial), { env })
        return running.until(/"event":"Settled"/)
      },
      kill: async () => running?.[Symbol.asyncDispose]()
    }
  },
  report: async (trial, keys) => {
    const env = environmentOf(trial)
    let left = 20
    let stdout = ""
    while (!stdout.includes('"to_send":0') || !stdout.includes('"in_flight":0')) {
      if (left-- === 0) throw new Error(`The run does not end: ${stdout}`)
      ;({ stdout } = await runNode(runArgs(trial), { env }))
    }
    const results = await runNode([command, "results", listOf(trial)], { env })
    return keys.map(
      (key) => new RegExp(`${key},\\d+,(\\w+)`).exec(results.stdout)?.[1] ?? "nothing"
    )
  }
}

/** The server on stdio. A client repeats the calls that got no result. */
const sendSms = (file: string): Sender => {
  const openServer = (trial: Trial) =>
    open(file, ["--confirm", "off", "--allow-recipients", "*"], environmentOf(trial))
  const call = async (client: Client, key: string): Promise<string> => {
    const result = await client.callTool({ name: "send_sms", arguments: smsOf(key) })
    return String((result.structuredContent as { readonly outcome?: unknown }).outcome)
  }
  return {
    name: "`send_sms`",
    start: async (trial) => {
      const { client, pid } = await openServer(trial)
      return {
        send: (key) => call(client, key),
        kill: async () => {
          process.kill(pid, "SIGKILL")
          await client.close()
        }
      }
    },
    report: async (trial, keys) => {
      const { client } = await openServer(trial)
      const words = await Promise.all(keys.map((key) => call(client, key)))
      await client.close()
      return words
    }
  }
}

export const prepareSenders = async (): Promise<ReadonlyArray<Sender>> => {
  const { ours } = await prepare()
  return [
    program("sendOnce", "`sendOnce`"),
    run,
    sendSms(ours),
    program("pgBoss", withVersion("pg-boss")),
    program("pgBossWithoutRetries", `${withVersion("pg-boss")} with \`retryLimit: 0\``),
    program("dbos", withVersion("@dbos-inc/dbos-sdk")),
    program("noteAfter", "a loop that notes what it has sent"),
    program("noteBefore", "a loop that notes what it will send")
  ]
}
