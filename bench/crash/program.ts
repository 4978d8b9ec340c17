/**
 * Runs one sender in its own process: `program.ts <sender> <trial>`. For each command, some keys, it sends what was not
 * sent before, and replies with what it says of each.
 */
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { journalOf } from "../../test/harness/journal/JournalOf.ts"
import { serveParent } from "../child.ts"
import { engines, type Send } from "../comparison/engines.js"
import { environmentOf, post, smsOf, type Trial } from "./trial.ts"

type MakeSend = (trial: Trial) => Promise<Send>

const sendOnce: MakeSend = async (trial) => {
  const environment = environmentOf(trial)
  Object.assign(process.env, environment)
  const journal = journalOf(`sqlite:${environment.MESSAGING_TOPUP_JOURNAL}`)
  const service = Layer.provide(layerConfig, NodeTransport.layer)
  const runtime = ManagedRuntime.make(Layer.merge(journal, service))
  const once = (key: string) =>
    Effect.flatMap(SendJournal, (sends) =>
      Effect.match(sends.sendOnce(key, smsOf(key)), {
        onSuccess: () => "sent",
        onFailure: ({ _tag }) => (_tag === "OutcomeUnknown" ? "unknown" : _tag)
      })
    )
  return (keys) => runtime.runPromise(Effect.forEach(keys, once, { concurrency: "unbounded" }))
}

/** Skips what it has noted in a file, before the request or after it. */
const loop =
  (isNotedBefore: boolean): MakeSend =>
  async ({ folder, url }) => {
    const file = join(folder, "sent.txt")
    const note = (key: string) => appendFileSync(file, `${key}\n`, { flush: true })
    return async (keys) => {
      const noted = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
      for (const key of keys.filter((each) => !noted.includes(each))) {
        if (isNotedBefore) note(key)
        await post(url, key)
        if (!isNotedBefore) note(key)
      }
      return keys.map(() => "sent")
    }
  }

const engine =
  (make: (typeof engines)[keyof typeof engines], settings = {}): MakeSend =>
  ({ name, port, url }) =>
    make({
      database: `postgres://journal@127.0.0.1:${port}/postgres`,
      schema: name,
      send: (key) => post(url, key),
      settings
    })

const senders: Readonly<Record<string, MakeSend>> = {
  sendOnce,
  noteAfter: loop(false),
  noteBefore: loop(true),
  pgBoss: engine(engines.pgBoss),
  pgBossWithoutRetries: engine(engines.pgBoss, { retryLimit: 0 }),
  dbos: engine(engines.dbos)
}

const [name = "", trial = ""] = process.argv.slice(2)
const send = await senders[name]?.(JSON.parse(trial) as Trial)
if (send === undefined) throw new Error(`There is no sender ${name}`)

serveParent((keys) => send(keys as ReadonlyArray<string>))
