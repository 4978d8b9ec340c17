import { expect, it } from "@effect/vitest"
import { Fault, Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { alone, command, csvOf, fileOf, start, texts } from "./support/Command.ts"

const slow = ["--messages-per-second", "100"]

/** A campaign that is being sent by a process. */
const sending = Effect.fnUntraced(function* (count: number, more: ReadonlyArray<string>) {
  const { file, journal } = yield* fileOf(csvOf(count))
  const { awaitReceived } = yield* Sandbox
  const running = yield* start(["run", file, "--yes", "--journal", journal, ...more])
  yield* awaitReceived(20)
  const args = ["--campaign", "rows", "--journal", journal]
  const status = Effect.map(alone(["status", ...args]), ({ events }) => events[0])
  return { args, journal, running, status }
})

const resumed = (args: ReadonlyArray<string>) => command(["resume", ...args])

it.live.each([
  ["SIGINT", 130],
  ["SIGTERM", 143]
] as const)(
  "%s ends what is under way; resume sends the rest, and nothing twice",
  ([signal, code]) =>
    Effect.gen(function* () {
      const { args, journal, running } = yield* sending(120, slow)
      yield* running.kill(signal)
      const ended = yield* running.ended
      expect(ended.code).toBe(code)
      const sent = (yield* texts).length
      expect(sent).toBeLessThan(120)
      expect(ended.events.at(-1)).toMatchObject({
        event: "Interrupted",
        counts: { accepted: sent, pending: 120 - sent, attempting: 0, unknown: 0, rejected: 0 }
      })
      expect(ended.stderr).toBe(
        "Stopped. What was under way has ended and is written down\n" +
          `Resume: messaging-topup-campaign resume --campaign rows --journal ${journal} --messages-per-second 100\n`
      )
      const last = yield* resumed(args)
      expect(last.code).toBe(0)
      expect(last.events.at(-1)).toMatchObject({ counts: { accepted: 120, pending: 0 } })
      const all = yield* texts
      expect(all).toHaveLength(120)
      expect(new Set(all).size).toBe(120)
    }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))
)

it.live("a second signal ends it at once; what was under way is unknown, and not sent again", () =>
  Effect.gen(function* () {
    const { setFault } = yield* Sandbox
    yield* setFault(Fault.NoResponse({ accept: true }))
    const { args, running } = yield* sending(60, ["--concurrency", "20"])
    yield* running.kill("SIGINT")
    yield* running.kill("SIGTERM")
    const ended = yield* running.ended
    expect([ended.signal === null ? ended.code : ended.signal]).toEqual(["SIGTERM"])
    const { clearFault } = yield* Sandbox
    yield* clearFault
    const last = yield* resumed(args)
    expect(last.code).toBe(3)
    expect(last.events.at(-1)).toMatchObject({ counts: { accepted: 40, unknown: 20, pending: 0 } })
    expect(new Set(yield* texts).size).toBe(60)
    expect(yield* texts).toHaveLength(60)
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))
)

it.live("another process sees how far it is, and pauses it", () =>
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
      counts: { accepted: sent, pending: 120 - sent, attempting: 0 }
    })
    expect((yield* resumed(args)).code).toBe(0)
    expect(new Set(yield* texts).size).toBe(120)
    expect(yield* texts).toHaveLength(120)
  }).pipe(Effect.scoped, Effect.provide(Sandbox.layer()))
)
