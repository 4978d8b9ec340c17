import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { folder } from "../journal/support/Files.ts"
import {
  alone,
  command,
  csvOf,
  fileOf,
  numberOf,
  onSandbox,
  start,
  texts
} from "./support/Command.ts"

const stopping =
  "Stopping: waiting for the requests in flight. A second signal ends the process at once"

const slow = ["--messages-per-second", "100"]

/** Starts a process that sends a campaign. */
const sending = Effect.fnUntraced(function* (
  count: number,
  more: ReadonlyArray<string>,
  received = 20
) {
  const { file, journal } = yield* fileOf(csvOf(count))
  const { until } = yield* Sandbox
  const running = yield* start(["run", file, "--yes", "--journal", journal, ...more])
  yield* until(({ requests }) => requests.length >= received)
  const args = ["--campaign", "rows", "--journal", journal]
  const status = Effect.map(alone(["status", ...args]), ({ events }) => events[0])
  return { args, journal, running, status }
})

const resumed = (args: ReadonlyArray<string>) => command(["resume", ...args])

it.live.each([
  [["SIGINT"], 130],
  [["SIGTERM"], 143],
  // A closed terminal sends it twice.
  [["SIGHUP", "SIGHUP"], 129]
] as const)(
  "%s waits for the requests in flight; resume sends the other rows, and nothing twice",
  ([signals, code]) =>
    Effect.gen(function* () {
      const { args, journal, running } = yield* sending(120, slow)
      for (const signal of signals) {
        yield* running.kill(signal)
        yield* running.says(stopping)
      }
      const ended = yield* running.ended
      expect(ended.code).toBe(code)
      const sent = (yield* texts).length
      expect(sent).toBeLessThan(120)
      expect(ended.events.at(-1)).toMatchObject({
        event: "Interrupted",
        counts: { sent: sent, pending: 120 - sent, attempting: 0, unknown: 0, rejected: 0 }
      })
      expect(ended.stderr).toBe(
        `${stopping}\n` +
          "Stopped. The requests in flight have ended, and their outcomes are in the journal\n" +
          `Resume: npx messaging-topup-campaign resume --campaign rows --journal ${journal} --messages-per-second 100\n`
      )
      const last = yield* resumed(args)
      expect(last.code).toBe(0)
      expect(last.events.at(-1)).toMatchObject({ counts: { sent: 120, pending: 0 } })
      const all = yield* texts
      expect(all).toHaveLength(120)
      expect(new Set(all).size).toBe(120)
    }).pipe(onSandbox)
)

it.live(
  "a second signal kills the process; the rows in flight become unknown and are not resent",
  () =>
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ fault: "NoResponse", accept: true })
      const { args, running } = yield* sending(60, ["--concurrency", "20"], 1)
      yield* running.kill("SIGINT")
      yield* running.says(stopping)
      yield* running.kill("SIGTERM")
      const ended = yield* running.ended
      expect(ended).toMatchObject({ code: null, signal: "SIGTERM" })
      const { clearFault } = yield* Sandbox
      yield* clearFault
      const last = yield* resumed(args)
      expect(last.code).toBe(3)
      expect(last.events.at(-1)).toMatchObject({
        counts: { sent: 59, unknown: 1, pending: 0 }
      })
      const { events } = yield* alone(["failures", ...args])
      expect(new Set(events.map(({ reason }) => reason))).toEqual(
        new Set(["the process stopped while the request was in flight"])
      )
      expect(new Set(yield* texts).size).toBe(60)
      expect(yield* texts).toHaveLength(60)
    }).pipe(onSandbox)
)

it.live("another process reads the status of a campaign, and pauses it", () =>
  Effect.gen(function* () {
    const { args, running, status } = yield* sending(120, slow)
    expect(yield* status).toMatchObject({ state: "running" })
    const paused = yield* alone(["pause", ...args])
    expect(paused).toMatchObject({ code: 0, events: [{ state: "paused" }] })
    const ended = yield* running.ended
    expect(ended.code).toBe(4)
    const sent = (yield* texts).length
    expect(ended.events.at(-1)).toMatchObject({
      event: "Ended",
      state: "paused",
      counts: { sent: sent, pending: 120 - sent, attempting: 0 }
    })
    expect((yield* resumed(args)).code).toBe(0)
    expect(new Set(yield* texts).size).toBe(120)
    expect(yield* texts).toHaveLength(120)
  }).pipe(onSandbox)
)

it.live("a signal while the rows are read ends the command, and nothing is sent", () =>
  Effect.gen(function* () {
    const journal = `sqlite:${yield* folder}/journal.sqlite`
    const read = yield* Deferred.make<void>()
    async function* rows() {
      yield csvOf(10)
      for (let i = 0; i < 10; i++) yield `${numberOf(10 + i)},${"x".repeat(100_000)}\n`
      // More than a pipe can hold, so the process has begun to read.
      Deferred.doneUnsafe(read, Effect.void)
      await new Promise(() => {})
    }
    const args = ["run", "-", "--format", "csv", "--campaign", "c", "--yes", "--journal", journal]
    const running = yield* start(args, {}, rows())
    yield* Deferred.await(read)
    yield* running.kill("SIGTERM")
    const { code, stderr } = yield* running.ended
    expect(code).toBe(143)
    expect(stderr).toBe(
      `${stopping}\n` +
        "Stopped, and nothing was sent. Nothing of the file is in the journal: run it again\n"
    )
    expect(yield* texts).toEqual([])
  }).pipe(onSandbox)
)
