/**
 * The command and `sendOnce` as several processes on one journal, and a service that counts what it accepts.
 */
import { describe, expect, it } from "@effect/vitest"
import { sendMany } from "@messaging-topup/journal"
import { layerConfig } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { journalFile } from "../harness/TemporaryFolder.ts"
import { journalOf } from "../harness/journal/JournalOf.ts"
import { postgres, type PostgresServer, urlOf } from "../harness/journal/PostgresServer.ts"
import { commandFile, programFile } from "../harness/Bundled.ts"
import { csvOf, fileOf } from "../harness/Command.ts"
import { startCounting } from "../harness/campaign/CountingService.ts"
import { type Running, startScoped } from "../harness/Process.ts"
import { rows } from "../harness/campaign/Rows.ts"

const singles = programFile("test/harness/campaign/programs/singles.ts")
const freeze = programFile("test/harness/campaign/programs/freezeRows.ts")

/** A run takes the time of the others. */
const spaced = Schedule.spaced("3 seconds")

type Environment = Readonly<Record<string, string>>

const start = (program: string, args: ReadonlyArray<string>, env: Environment) =>
  startScoped([program, ...args], { env })

const endOf = async ({ ended }: Running) => {
  const { code, stdout } = await ended
  const last: Readonly<Record<string, unknown>> = JSON.parse(
    stdout.trimEnd().split("\n").at(-1) || "{}"
  )
  return { code, last }
}

/** A journal in SQLite or PostgreSQL: its place, and the arguments and variables of the command. */
const journalAt = Effect.fnUntraced(function* (file: string, port: number | undefined) {
  const journal =
    port === undefined
      ? { place: `sqlite:${file}`, args: ["--journal", file], env: {} }
      : {
          place: `postgres:${port}`,
          args: ["--journal", "postgres"],
          env: { MESSAGING_TOPUP_JOURNAL: urlOf(port) }
        }
  const begun = Effect.flatMap(SendJournal, ({ lists }) => lists.begin)
  yield* Effect.orDie(Effect.provide(begun, journalOf(journal.place)))
  return journal
})

/** The journal at a place, and the service of these variables. */
const servicesOf = (place: string, env: Environment) =>
  Layer.merge(
    journalOf(place),
    Layer.provide(layerConfig, NodeTransport.layer).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
  )

const twiceOf = (accepted: ReadonlyMap<string, number>) =>
  [...accepted].flatMap(([text, times]) => (times > 1 ? [text] : []))

/** What the journal knows, compared with what the service accepted. The key of a send is its text. */
const compared = Effect.fnUntraced(function* (
  keys: ReadonlyArray<string>,
  accepted: ReadonlyMap<string, number>
) {
  const { campaigns } = yield* SendJournal
  const standings = yield* campaigns.look(keys.map((key) => ({ key, digest: "" })))
  const states = new Map(
    standings.map(({ state }, index) => [keys[index]?.replace(/^\w*\//, "") ?? "", state])
  )
  const of = (state: string) => [...states].flatMap(([key, its]) => (its === state ? [key] : []))
  return {
    twice: twiceOf(accepted),
    forgotten: [...accepted.keys()].filter(
      (key) => !["sent", "unknown"].includes(states.get(key) ?? "")
    ),
    untrue: of("sent").filter((key) => !accepted.has(key)),
    unknown: of("unknown").length,
    known: of("sent").length + of("unknown").length
  }
})

/** The keys of so many sends, as they are stored. */
const storedKeys = (before: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${before} ${index}`)

const right = { twice: [], forgotten: [], untrue: [] }

/** Rows whose key is their text. */
const keyedCsv = (count: number) =>
  `recipient,message,key\n${Array.from({ length: count }, (_, i) => `+1555${100_000 + i}7,row ${i},row ${i}\n`).join("")}`

const share = Effect.fnUntraced(function* (
  port: number | undefined,
  processes: number,
  count: number
) {
  const { file } = yield* fileOf(csvOf(count), `shared${processes}.csv`)
  const place = yield* journalAt(yield* journalFile, port)
  const { accepted, env } = yield* startCounting({ millis: 20 })
  const args = ["run", file, "--yes", ...place.args]
  const run = Effect.flatMap(start(commandFile, args, { ...env, ...place.env }), (child) =>
    Effect.promise(() => endOf(child))
  )
  // On a busy machine, one may end while a row of another is in flight: it says so, and is run again.
  const untilKnown = Effect.repeat(run, {
    schedule: spaced,
    until: ({ last }) => last["in_flight"] === 0
  })
  const all = Array.from({ length: processes }, () => untilKnown)
  const ended = yield* Effect.all(all, { concurrency: "unbounded" })
  expect(twiceOf(accepted)).toEqual([])
  expect(accepted.size).toBe(count)
  for (const { code, last } of ended) {
    expect({ code, sent: last["sent"] }).toEqual({ code: 0, sent: count })
  }
})

/** Kills processes that send rows, and one that sends single SMS, at random moments; then lets both end. */
const killing = Effect.fnUntraced(function* (
  port: number | undefined,
  processes: number,
  kills: number
) {
  // So many that there is work left at each kill.
  const [count, singleCount] = [kills * 250, kills * 60]
  const { file } = yield* fileOf(keyedCsv(count), "killed.csv")
  const { args, env: own, place } = yield* journalAt(yield* journalFile, port)
  const { accepted, env, times } = yield* startCounting({ millis: 20, resets: 0.01 })
  const rowArgs = ["run", file, "--yes", ...args, "--concurrency", "20"]
  const run = start(commandFile, rowArgs, { ...env, ...own })
  const runSingles = start(singles, [place, String(singleCount)], env)
  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const rowSenders = Array.from({ length: processes }, () => run)
        const children = yield* Effect.all([...rowSenders, runSingles])
        const wanted = times.length + 20 + Math.floor(Math.random() * 60)
        const all = Promise.all(children.map(({ ended }) => ended))
        const over = { isOver: false }
        void all.then(() => (over.isOver = true))
        while (times.length < wanted && !over.isOver) yield* Effect.sleep("5 millis")
      })
    )
  }
  const single = yield* runSingles
  const runToEnd = Effect.flatMap(run, (child) => Effect.promise(() => endOf(child)))
  const [final, found] = yield* Effect.gen(function* () {
    yield* runToEnd
    // What the killed had in flight becomes unknown after the deadline of its claim. The journal is asked, because a run
    // reads the whole list.
    const { campaigns } = yield* SendJournal
    yield* Effect.repeat(campaigns.counts("killed"), {
      schedule: spaced,
      until: (counts) => counts["in-flight"] === 0
    })
    const ended = yield* runToEnd
    yield* Effect.promise(() => single.ended)
    const keys = [...storedKeys("killed/row", count), ...storedKeys("/single", singleCount)]
    return [ended, yield* compared(keys, accepted)] as const
  }).pipe(Effect.provide(journalOf(place)))
  const sum = { kills: kills * (processes + 1), accepted: accepted.size, ...found }
  console.log(JSON.stringify({ ...sum, last: final.last }))
  expect(found).toMatchObject(right)
  expect(found.known).toBe(count + singleCount)
  const { sent = 0, unknown = 0 } = final.last
  expect(Number(sent) + Number(unknown)).toBe(count)
  expect(found.unknown).toBeLessThanOrEqual(count * 0.05 + kills * (processes * 20 + 10))
})

/** Sends rows while the server of the journal crashes several times. */
const crashing = Effect.fnUntraced(function* ({ crash, port }: PostgresServer) {
  const { accepted, env, times } = yield* startCounting({ millis: 20 })
  const some = Stream.map(rows(1000), (row) => ({ ...row, key: row.request.message }))
  yield* Effect.gen(function* () {
    const running = yield* Effect.forkChild(sendMany(some, { campaign: "crashed" }))
    for (const received of [200, 400, 700]) {
      while (times.length < received) yield* Effect.sleep("5 millis")
      yield* Effect.promise(crash)
    }
    expect((yield* Fiber.join(running)).rows.notSent).toBe(0)
    expect(yield* compared(storedKeys("crashed/Hello", 1000), accepted)).toMatchObject({
      ...right,
      known: 1000
    })
  }).pipe(Effect.provide(servicesOf(`postgres:${port}`, env)))
})

const freezing = Effect.fnUntraced(function* (port: number | undefined) {
  const { place } = yield* journalAt(yield* journalFile, port)
  const { accepted, env } = yield* startCounting({ millis: 5 })
  const child = yield* start(freeze, [place], env)
  yield* Effect.promise(child.nextLine)
  yield* Effect.gen(function* () {
    const { campaigns, decidable, resolve } = yield* SendJournal
    const all = Array.from({ length: 200 }, (_, index) => ({ key: `c/k${index}`, digest: "" }))
    const standings = yield* campaigns.look(all)
    const frozen = new Set(
      all.flatMap(({ key }, at) =>
        standings[at]?.state === "in-flight" ? [key.slice("c/".length)] : []
      )
    )
    // Its rows are in flight: a person cannot decide about them yet.
    expect(yield* resolve({ campaign: "c" }, "resend")).toMatchObject({ changed: 0 })
    // On a busy machine, some requests do not start before their time-out: their rows are run again.
    const sendAll = Effect.repeat(sendMany(rows(200), { campaign: "c" }), {
      schedule: spaced,
      until: (result) => result.rows.inFlight + result.rows.notSent === 0
    })
    const waited = yield* sendAll
    expect(waited.rows.sent + waited.rows.unknown, JSON.stringify(waited)).toBe(200)
    // Only those that the service had not accepted when the process froze did not go out. On a busy machine, it can
    // accept others later, whose responses came too late.
    const unknown = yield* decidable({ campaign: "c" })
    const keys = unknown.flatMap(({ key }) =>
      frozen.has(key) && !accepted.has(`Hello ${key.slice(1)}`) ? [key] : []
    )
    expect(keys.length).toBeGreaterThan(0)
    expect(yield* resolve({ campaign: "c", keys }, "resend")).toMatchObject({
      changed: keys.length
    })
    yield* sendAll
    child.kill("SIGCONT")
    yield* Effect.promise(() => child.ended)
    expect(twiceOf(accepted)).toEqual([])
    // A response that came while it was frozen is read, unless the time-out is over first.
    const { sent, unknown: unread } = yield* campaigns.counts("c")
    expect(sent + unread).toBe(200)
    const left = yield* decidable({ campaign: "c" })
    const lost = left.filter(({ key }) => !accepted.has(`Hello ${key.slice(1)}`))
    expect(lost.filter(({ key }) => frozen.has(key))).toEqual([])
    expect(accepted.size + lost.length).toBe(200)
  }).pipe(Effect.provide(servicesOf(place, env)))
})

const onPostgres = postgres()
/** `KILLS=30` kills 90 processes on SQLite and 120 on PostgreSQL. */
const kills = Number(process.env["KILLS"] ?? 4)
const timeoutMillis = 240_000 + kills * 10_000

describe("processes on one file", () => {
  it.live(
    "share it on SQLite: two send each row once, and both end with 0",
    () => Effect.scoped(share(undefined, 2, 2000)),
    timeoutMillis
  )

  it.live(
    "share it on PostgreSQL: three send each row once, and all end with 0",
    onPostgres(({ port }) => Effect.scoped(share(port, 3, 2000))),
    timeoutMillis
  )

  it.live(
    "lose nothing and send nothing twice when PostgreSQL crashes under load",
    onPostgres((server) => Effect.scoped(crashing(server))),
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
