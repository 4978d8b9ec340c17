/** Kills the command of a campaign in the middle, and starts it again. */
import { SendJournal } from "@messaging-topup/journal/internal"
import { layer } from "@messaging-topup/journal/open"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { bad, good, heading, line } from "./terminal.ts"

const command = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url))

const total = 1000

/** Rows that the killed process may have had in flight are not sent by the next one. */
const mostInFlight = 50

/** The list of a person: `recipient,message`. */
const list = [
  "recipient,message",
  ...Array.from(
    { length: total },
    (_, index) => `+1555${1000 + index}7,Order ${index} is on its way.`
  )
].join("\n")

interface Page {
  readonly messages: ReadonlyArray<{ readonly message: string }>
  readonly accepted: number
  readonly next?: string
}

const pageOf = async (baseUrl: string, query: string): Promise<Page> => {
  const response = await fetch(`${baseUrl}/_sandbox/messages?text=Order&${query}`)
  return (await response.json()) as Page
}

/** The texts of all SMS that the service accepted. A text that was sent twice is there twice. */
const acceptedBy = async (baseUrl: string): Promise<ReadonlyArray<string>> => {
  const texts = new Array<string>()
  let query = "limit=1000"
  while (true) {
    const { messages, next } = await pageOf(baseUrl, query)
    texts.push(...messages.map(({ message }) => message))
    if (next === undefined) return texts
    query = `limit=1000&before=${encodeURIComponent(next)}`
  }
}

const journal = "journal.sqlite"

const create = (folder: string) =>
  spawnSync(execPath, [command, "init", "--yes", "--journal", journal], { cwd: folder })

const run = (folder: string, settings: Readonly<Record<string, string>>) =>
  spawn(execPath, [command, "run", "orders.csv", "--yes", "--journal", journal], {
    cwd: folder,
    env: { ...env, ...settings },
    stdio: "ignore"
  })

const untilAccepted = async (baseUrl: string, count: number): Promise<void> => {
  const { accepted } = await pageOf(baseUrl, "limit=1")
  if (accepted < count) await untilAccepted(baseUrl, count)
}

/** `settings` are the variables for the sandbox at `baseUrl`. */
export const campaignSession = (baseUrl: string, settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "messaging-topup-demo-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    writeFileSync(join(folder, "orders.csv"), list)
    yield* heading(`A campaign of ${total.toLocaleString("en")} SMS, killed in the middle`)
    create(folder)
    const first = run(folder, settings)
    yield* Effect.promise(() => untilAccepted(baseUrl, 400))
    yield* Effect.promise(async () => {
      const exited = once(first, "exit")
      first.kill("SIGKILL")
      await exited
    })
    yield* line("kill -9", "after about 400 SMS; now the same command again:")
    const second = once(run(folder, settings), "exit")
    yield* Effect.promise(() => untilAccepted(baseUrl, total - mostInFlight))
    yield* line("run", "has sent the rest, and waits until what was in flight counts as unknown")
    yield* Effect.promise(() => second)
    const counts = yield* Effect.flatMap(SendJournal, ({ campaigns }) =>
      campaigns.counts("orders")
    ).pipe(Effect.provide(layer(join(folder, journal))))
    const texts = yield* Effect.promise(() => acceptedBy(baseUrl))
    const twice = texts.length - new Set(texts).size
    yield* line("sent", String(counts.sent))
    const open = counts["in-flight"] + counts.unknown
    yield* line("unknown", `${open}, which were in flight at the kill: a person decides`)
    yield* line("twice", twice === 0 ? good("0") : bad(String(twice)))
    if (counts.sent + open < total) yield* Console.error(bad("rows were lost"))
  }).pipe(Effect.scoped)
