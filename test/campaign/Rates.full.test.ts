/**
 * Rates of campaigns that two processes send at the same time, counted where the requests arrive.
 */
import { expect, it } from "@effect/vitest"
import { Campaign, type CampaignOptions } from "@messaging-topup/campaign"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { journalFile } from "../journal/support/Files.ts"
import { journalOf } from "../journal/support/JournalOf.ts"
import { portOf } from "../support/FreePort.ts"
import { rowOf } from "./support/Rows.ts"

const program = fileURLToPath(new URL("programs/rated.ts", import.meta.url))

const accountMessagesPerSecond = 20
const campaigns: ReadonlyArray<readonly [string, number, CampaignOptions]> = [
  ["slow", 24, { messagesPerSecond: 8, accountMessagesPerSecond }],
  ["fast", 48, { accountMessagesPerSecond }]
]

interface Arrival {
  readonly message: string
  readonly at: number
}

/** A service that accepts each SMS, and notes when it arrived. */
const startService = Effect.gen(function* () {
  const arrivals = new Array<Arrival>()
  const server = createServer((request, response) => {
    const at = performance.now()
    void text(request).then((body) => {
      arrivals.push({ message: JSON.parse(body).message, at })
      response.writeHead(202, { "content-type": "application/json" })
      response.end(JSON.stringify({ success: true, status: 202, message: "", data: [] }))
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
    () => Effect.sync(() => server.close())
  )
  return { arrivals, baseUrl: `http://127.0.0.1:${portOf(server)}` }
})

/** Loads a campaign, and starts a process that waits before it sends it. */
const ready = Effect.fnUntraced(function* (
  place: string,
  baseUrl: string,
  [campaign, count, options]: (typeof campaigns)[number]
) {
  const rows = Array.from({ length: count }, (_, index) => rowOf(index, "7", campaign))
  yield* Effect.provide(Campaign.load(campaign, Stream.fromIterable(rows)), journalOf(place))
  const args = [place, baseUrl, "token", campaign, JSON.stringify(options)]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] })
    ),
    (running) => Effect.sync(() => running.kill("SIGKILL"))
  )
  yield* Effect.promise(() => once(child.stdout, "data"))
  return child
})

const exitOf = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0]

/** Each request arrives when the rate allows so many since the start, or later. */
const expectRate = (arrivals: ReadonlyArray<Arrival>, start: number, perSecond: number) => {
  const times = arrivals.map(({ at }) => at - start).toSorted((one, other) => one - other)
  const early = times.map((millis, index) => (index * 1000) / perSecond - millis)
  // One row, because the rates count whole milliseconds.
  expect(Math.max(...early)).toBeLessThanOrEqual(1000 / perSecond)
}

it.live(
  "a rate holds for its campaign, and that of the account for all campaigns together",
  () =>
    Effect.gen(function* () {
      const place = `sqlite:${yield* journalFile}`
      const { arrivals, baseUrl } = yield* startService
      const children = yield* Effect.forEach(campaigns, (each) => ready(place, baseUrl, each))
      const ended = Promise.all(children.map(exitOf))
      const start = performance.now()
      for (const { stdin } of children) stdin.write("go\n")
      expect(yield* Effect.promise(() => ended)).toEqual([0, 0])
      const slow = arrivals.filter(({ message }) => message === "slow")
      expect([arrivals.length, slow.length]).toEqual([72, 24])
      expectRate(slow, start, 8)
      expectRate(arrivals, start, accountMessagesPerSecond)
    }).pipe(Effect.scoped),
  60_000
)
