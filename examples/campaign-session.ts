/** Kills the process of a campaign in the middle, and starts it again. */
import { Campaign } from "@messaging-topup/campaign"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { env, execPath } from "node:process"
import { fileURLToPath } from "node:url"
import { bad, good, heading, line } from "./terminal.ts"

const program = fileURLToPath(new URL("campaign-process.ts", import.meta.url))

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

const send = (file: string, settings: Readonly<Record<string, string>>) =>
  spawn(execPath, [program, file], { env: { ...env, ...settings }, stdio: "inherit" })

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
    const file = join(folder, "campaign.sqlite")
    yield* heading("A campaign of 2,000 SMS, killed in the middle")
    const first = send(file, settings)
    yield* Effect.promise(() => untilAccepted(baseUrl, 800))
    yield* Effect.promise(async () => {
      const exited = once(first, "exit")
      first.kill("SIGKILL")
      await exited
    })
    yield* line("kill -9", "after about 800 SMS; now the same command again:")
    yield* Effect.promise(() => once(send(file, settings), "exit"))
    const { counts } = yield* Effect.provide(Campaign.status("orders"), Sqlite.layer(file))
    const texts = yield* Effect.promise(() => acceptedBy(baseUrl))
    const twice = texts.length - new Set(texts).size
    yield* line("sent", String(counts.sent))
    yield* line("unknown", `${counts.unknown}, which were in flight at the kill: a person decides`)
    yield* line("twice", twice === 0 ? good("0") : bad(String(twice)))
    if (counts.pending + counts.attempting > 0) yield* Console.error(bad("rows were lost"))
  }).pipe(Effect.scoped)
