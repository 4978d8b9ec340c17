import { describe, expect, it } from "@effect/vitest"
import * as Progress from "messaging-topup/src/run/Progress.ts"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { renameSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { inTestTime } from "../harness/campaign/Rows.ts"
import { alone, command, csvOf, fileOf, onSandbox } from "../harness/Command.ts"

const figures: Progress.Figures = {
  total: 4000,
  zone: DateTime.zoneMakeNamedUnsafe("Africa/Nairobi"),
  sent: 1000,
  rejected: 2,
  unknown: 1,
  before: [0, 0],
  last: [0, 0]
}

const lineAt = (width: number, more: Partial<Progress.Figures> = {}) =>
  Progress.line({ ...figures, ...more }, 10_000, width)

describe("the line of progress", () => {
  it("shows the share, the count, the rate, the remaining time, and the failures", () => {
    expect(lineAt(100)).toBe(
      "[######------------------]  25%  1,003/4,000  100/s  ETA 0:30  rejected 2  unknown 1"
    )
  })

  it.each([
    [70, " 25%  1,003/4,000  100/s  ETA 0:30  rejected 2  unknown 1"],
    [40, " 25%  1,003/4,000  100/s  ETA 0:30  rej"],
    [3, " 2"],
    [0, ""]
  ])("is cut, without its bar, if the terminal has %i columns", (width, text) => {
    expect(lineAt(width)).toBe(text)
  })

  it("says for how many rows of other processes it waits", () => {
    const waiting = { _tag: "WaitingForOthers", rows: 3 } as const
    expect(lineAt(120, { waiting })).toContain("waiting for 3 in flight in another process")
  })

  it("shows until when nothing is sent, and why", () => {
    const until = Date.UTC(2030, 0, 1)
    expect(lineAt(90, { waiting: { _tag: "Waiting", why: "slow-down", until } })).toContain(
      "the service is busy  waiting until 03:00:00 +03:00"
    )
    expect(lineAt(90, { waiting: { _tag: "Waiting", why: "quiet-hours", until } })).toContain(
      "quiet hours  waiting until 03:00:00"
    )
  })

  it("keeps the reason of an outage until an SMS goes out", () => {
    const waiting = { _tag: "Waiting", why: "no-connection", until: 11_000 } as const
    expect(lineAt(90, { waiting })).toContain(
      "no connection to the service  waiting until 03:00:11 +03:00"
    )
    expect(lineAt(46, { waiting })).toBe(" 25%  1,003/4,000  no connection to the servi")
    expect(lineAt(90, { waiting: { ...waiting, until: 9_000 } })).toContain(
      "no connection to the service  trying again"
    )
  })

  it("shows 100% if there is nothing to send", () => {
    expect(lineAt(80, { total: 0 })).toContain("100%")
  })

  it("shows hours if the rest takes hours", () => {
    expect(lineAt(80, { total: 1_000_000 })).toContain("ETA 2:46:01")
  })
})

describe("a terminal", () => {
  const shown = (env: Readonly<Record<string, string>>, columns = 80) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(20))
      const { stderr } = yield* command(["run", file, "--yes", "--journal", journal], {
        columns,
        env
      })
      return stderr
    }).pipe(onSandbox)

  it.live("shows it on one line, which is cleared at the end", () =>
    Effect.gen(function* () {
      const stderr = yield* shown({})
      expect(stderr.startsWith(`\r\u001b[K[${"-".repeat(24)}]`)).toBe(true)
      expect(stderr.endsWith("\r\u001b[K")).toBe(true)
      expect(stderr).not.toContain("\n")
    })
  )

  it.live("of unknown width gets 80 columns", () =>
    Effect.gen(function* () {
      expect(yield* shown({}, 0)).toContain("[------------------------]")
    })
  )

  it.live("gets no line longer than its width", () =>
    Effect.gen(function* () {
      const stderr = yield* shown({}, 12)
      const lines = stripVTControlCharacters(stderr).split("\r")
      expect(lines.every((line) => line.length < 12)).toBe(true)
      expect(lines).toContain("  0%  0/20")
    })
  )

  it.effect("shows why nothing is sent as long as the service refuses connections", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(20))
      const zone = ["--time-zone", "Africa/Nairobi"]
      const running = alone(["run", file, "--yes", "--journal", journal, ...zone], {
        columns: 120,
        env: { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "t" },
        stop: (says) => Effect.andThen(says("no connection"), Effect.sleep("2500 millis"))
      })
      const { stderr } = yield* inTestTime(running)
      const frames = stripVTControlCharacters(stderr)
        .split("\r")
        .filter((line) => line.includes("0/20"))
      const first = frames.findIndex((line) => line.includes("no connection"))
      expect(frames.length - first).toBeGreaterThan(10)
      expect(frames.slice(first).filter((line) => !line.includes("no connection"))).toEqual([])
      expect(frames[first]).toMatch(/waiting until [\d:]+ \+03:00/)
    }).pipe(Effect.scoped)
  )

  it.effect("says why it waits for the journal", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(20))
      const stored = journal
      const slowly = ["--messages-per-second", "2", "--journal", journal]
      const running = command(["run", file, "--yes", ...slowly], {
        columns: 120,
        stop: Effect.fnUntraced(function* (says) {
          yield* says("1/20")
          renameSync(stored, `${stored}.away`)
          yield* says("it was removed or replaced")
          renameSync(`${stored}.away`, stored)
        })
      })
      const { stderr } = yield* inTestTime(running)
      expect(stderr).toMatch(/The journal is not available: it was removed .*\n/)
    }).pipe(onSandbox)
  )

  it.live("shows no progress if TERM is dumb", () =>
    Effect.gen(function* () {
      expect(yield* shown({ TERM: "dumb" })).not.toContain("\u001b")
    })
  )
})
