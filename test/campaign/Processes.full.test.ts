/**
 * The command as several processes on one file and one journal, and a service that counts what it accepts.
 */
import { describe, expect, it } from "@effect/vitest"
import { sendMany } from "@messaging-topup/campaign"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { journalFile } from "../journal/support/Files.ts"
import { journalOf } from "../journal/support/JournalOf.ts"
import { csvOf, fileOf } from "./support/Command.ts"
import { startCounting } from "./support/CountingService.ts"
import { postgres, urlOf } from "./support/Postgres.ts"
import { rows } from "./support/Rows.ts"

const main = fileURLToPath(new URL("../../packages/campaign/src/main.ts", import.meta.url))

type Environment = Readonly<Record<string, string>>

interface Ended {
  readonly code: number | null
  readonly last: Readonly<Record<string, unknown>>
}

const start = (args: ReadonlyArray<string>, env: Environment) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [main, ...args], {
        env: { PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "pipe", "ignore"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const endOf = async (child: ChildProcess): Promise<Ended> => {
  let shown = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (shown += text))
  const [code] = await once(child, "close")
  return { code, last: JSON.parse(shown.trimEnd().split("\n").at(-1) || "{}") }
}

/** A journal in SQLite or PostgreSQL, as the arguments and variables of the command, and as a layer. */
const journalAt = (file: string, port: number | undefined) =>
  port === undefined
    ? { args: ["--journal", `sqlite:${file}`], env: {}, layer: journalOf(`sqlite:${file}`) }
    : {
        args: ["--journal", "postgres"],
        env: { MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL: urlOf(port) },
        layer: journalOf(`postgres:${port}`)
      }

const twiceOf = (accepted: ReadonlyMap<string, number>) =>
  [...accepted].flatMap(([text, times]) => (times > 1 ? [text] : []))

/** What the journal knows, compared with what the service accepted: the key of a row is in its text. */
const compared = Effect.fnUntraced(function* (
  campaign: string,
  accepted: ReadonlyMap<string, number>
) {
  const { campaigns } = yield* SendJournal
  const read = (after: string): ReturnType<typeof campaigns.sends> =>
    Effect.flatMap(campaigns.sends(campaign, { after, limit: 1000 }), (page) => {
      const last = page.at(-1)?.key
      return last === undefined || page.length < 1000
        ? Effect.succeed(page)
        : Effect.map(read(last), (rest) => [...page, ...rest])
    })
  const sends = yield* read("")
  const states = new Map(sends.map(({ key, state }) => [key, state]))
  return {
    forgotten: [...accepted.keys()].filter(
      (key) => !["sent", "unknown"].includes(states.get(key) ?? "")
    ),
    untrue: sends.filter(({ key, state }) => state === "sent" && !accepted.has(key)).length,
    unknown: sends.filter(({ state }) => state === "unknown").length,
    known: sends.length
  }
})

/** Rows whose key is their text. */
const keyedCsv = (count: number) =>
  `recipient,message,key\n${Array.from({ length: count }, (_, i) => `+1555${100_000 + i}7,row ${i},row ${i}\n`).join("")}`

const share = Effect.fnUntraced(function* (
  port: number | undefined,
  processes: number,
  count: number,
  more: ReadonlyArray<string>
) {
  const { file } = yield* fileOf(csvOf(count), `shared${processes}${more.length}.csv`)
  const place = journalAt(yield* journalFile, port)
  const { accepted, env, times } = yield* startCounting({ millis: 20 })
  const args = ["run", file, "--yes", ...place.args, ...more]
  const children = yield* Effect.forEach(Array.from({ length: processes }), () =>
    start(args, { ...env, ...place.env })
  )
  const ended = yield* Effect.promise(() => Promise.all(children.map(endOf)))
  expect(twiceOf(accepted)).toEqual([])
  expect(accepted.size).toBe(count)
  for (const { code, last } of ended) {
    expect({ code, sent: last["sent"] }).toEqual({ code: 0, sent: count })
  }
  return times
})

const killing = Effect.fnUntraced(function* (
  port: number | undefined,
  processes: number,
  kills: number
) {
  const count = kills * 100
  const { file } = yield* fileOf(keyedCsv(count), "killed.csv")
  const place = journalAt(yield* journalFile, port)
  const { accepted, env, times } = yield* startCounting({ millis: 20, resets: 0.01 })
  const args = ["run", file, "--yes", ...place.args, "--concurrency", "20"]
  const run = start(args, { ...env, ...place.env })
  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const children = yield* Effect.forEach(Array.from({ length: processes }), () => run)
        const wanted = Math.min(count, times.length + 20 + Math.floor(Math.random() * 60))
        const all = Promise.all(children.map((child) => once(child, "exit")))
        const over = { isOver: false }
        void all.then(() => (over.isOver = true))
        while (times.length < wanted && !over.isOver) yield* Effect.sleep("5 millis")
      })
    )
  }
  const last = yield* Effect.flatMap(run, (child) => Effect.promise(() => endOf(child)))
  const found = yield* Effect.provide(compared("killed", accepted), place.layer)
  const sum = { kills, processes, accepted: accepted.size, ...found }
  console.log(JSON.stringify({ ...sum, last }))
  expect(twiceOf(accepted)).toEqual([])
  expect(found.forgotten).toEqual([])
  expect(found.untrue).toBe(0)
  expect(found.known).toBe(count)
  expect(last.last).toMatchObject({ sent: count - found.unknown, unknown: found.unknown })
  expect(found.unknown).toBeLessThanOrEqual(count * 0.05 + kills * processes * 20)
})

const freezing = Effect.fnUntraced(function* (port: number | undefined) {
  const file = yield* journalFile
  const place = port === undefined ? `sqlite:${file}` : `postgres:${port}`
  const { accepted, env } = yield* startCounting({ millis: 5 })
  const services = Layer.merge(
    journalOf(place),
    Layer.provide(layerConfig, NodeTransport.layer).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
  )
  const program = fileURLToPath(new URL("programs/freeze.ts", import.meta.url))
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, place], {
        env: { PATH: process.env["PATH"], ...env },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )
  yield* Effect.promise(() => once(child.stdout, "data"))
  yield* Effect.gen(function* () {
    const { campaigns } = yield* SendJournal
    // Its rows are in flight: a person cannot decide about them yet.
    expect(yield* campaigns.resolve("c", "resend")).toBe(0)
    const waited = yield* sendMany(rows(200), { campaign: "c" })
    expect(waited.rows.sent + waited.rows.unknown).toBe(200)
    // Only those that the service had not accepted when the process froze did not go out.
    const unknown = yield* campaigns.sends("c", { states: ["unknown"], limit: 200 })
    const keys = unknown.flatMap(({ key }) => (accepted.has(`Hello ${key.slice(1)}`) ? [] : [key]))
    expect(keys.length).toBeGreaterThan(0)
    expect(yield* campaigns.resolve("c", "resend", keys)).toBe(keys.length)
    yield* sendMany(rows(200), { campaign: "c" })
    const exited = once(child, "exit")
    child.kill("SIGCONT")
    yield* Effect.promise(() => exited)
    expect(twiceOf(accepted)).toEqual([])
    expect(accepted.size).toBe(200)
    // An answer that came while it was frozen is read, unless the time-out is over first.
    const { sent, unknown: unread } = yield* campaigns.counts("c")
    expect(sent + unread).toBe(200)
    for (const { key } of yield* campaigns.sends("c", { states: ["unknown"], limit: 200 })) {
      expect(accepted.has(`Hello ${key.slice(1)}`)).toBe(true)
    }
  }).pipe(Effect.provide(services))
})

const onPostgres = postgres()
const timeoutMillis = 240_000
/** `KILLS=30` kills more often. */
const kills = Number(process.env["KILLS"] ?? 5)

describe("processes on one file", () => {
  it.live(
    "share it on SQLite: two send each row once, and both end with 0",
    () => Effect.scoped(share(undefined, 2, 2000, [])),
    timeoutMillis
  )

  it.live(
    "share it on PostgreSQL: three send each row once, and all end with 0",
    onPostgres(({ port }) => Effect.scoped(share(port, 3, 2000, []))),
    timeoutMillis
  )

  it.live(
    "share one rate",
    () =>
      Effect.gen(function* () {
        const rate = 100
        const times = yield* share(undefined, 2, 400, ["--messages-per-second", String(rate)])
        const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000
        // The last tenth of a second begins before it ends.
        expect(times.length / (seconds + 0.2)).toBeLessThanOrEqual(rate)
      }).pipe(Effect.scoped),
    timeoutMillis
  )
})

/** Together, because most of their time they wait until the claims of a process are old. */
describe.concurrent("processes on one file", () => {
  it.live(
    "that are killed again and again send nothing twice and forget nothing, on SQLite",
    () => Effect.scoped(killing(undefined, 2, kills)),
    timeoutMillis
  )

  it.live(
    "that are killed again and again send nothing twice and forget nothing, on PostgreSQL",
    onPostgres(({ port }) => Effect.scoped(killing(port, 3, kills))),
    timeoutMillis
  )

  it.live(
    "start no request after their deadline, though a person resent their rows while they were frozen",
    () => Effect.scoped(freezing(undefined)),
    timeoutMillis
  )

  it.live(
    "the same on PostgreSQL",
    onPostgres(({ port }) => Effect.scoped(freezing(port))),
    timeoutMillis
  )
})
