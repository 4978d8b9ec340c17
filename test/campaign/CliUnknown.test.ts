import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { alone, command, fileOf, numberOf, onSandbox, texts } from "./support/Command.ts"

const header = "recipient,message,key\n"

/** Rows a to d are unknown (500), e and f (502); g is rejected; h was sent. */
const loaded = Effect.gen(function* () {
  const files = yield* fileOf("")
  const sandbox = yield* Sandbox
  const run = ["run", files.file, "--yes", "--journal", files.journal]
  const lines = Array.from("abcdefgh", (key, index) => `${numberOf(index)},=Hello ${key},${key}\n`)
  const load = Effect.fnUntraced(function* (count: number, status: number | undefined) {
    writeFileSync(files.file, header + lines.slice(0, count).join(""))
    if (status === undefined) yield* sandbox.clearFault
    else {
      const error = { status, title: "Wrong", detail: "" }
      const body = JSON.stringify({ success: false, error })
      yield* sandbox.setFault({ fault: "Response", status, body })
    }
    yield* command(run)
  })
  yield* load(4, 500)
  yield* load(6, 502)
  yield* load(7, 400)
  yield* load(8, undefined)
  const args = ["--campaign", "rows", "--journal", files.journal]
  const statusOf = Effect.map(alone(["status", ...args]), ({ events }) => events[0]?.["counts"])
  expect(yield* statusOf).toMatchObject({ unknown: 6, rejected: 1, sent: 1, pending: 0 })
  return { ...files, args, run, statusOf }
})

describe("resolve-unknown --as resend", () => {
  it.live("shows how many rows may get a second SMS, and asks", () =>
    Effect.gen(function* () {
      const { args, journal, statusOf } = yield* loaded
      const resend = ["resolve-unknown", "--as", "resend", ...args]
      const no = yield* alone(resend, { columns: 80, stdin: ["n\n"] })
      expect(no.code).toBe(1)
      expect(no.stderr).toBe(
        "Resend 6 rows of unknown outcome? They may have gone out: their recipients may get a second SMS. [y/N] Nothing was changed\n"
      )
      const without = yield* alone(resend)
      expect(without.code).toBe(2)
      expect(without.stderr).toContain("give --yes to skip the question")
      expect(yield* statusOf).toMatchObject({ unknown: 6 })
      const yes = yield* alone(resend, { columns: 80, stdin: ["y\n"] })
      expect(yes.stdout).toContain("6 rows pending again\n")
      expect(yes.stderr).toMatch(
        `Send them: npx messaging-topup-campaign resume --campaign rows --journal ${journal}\n`
      )
      expect(yield* statusOf).toMatchObject({ unknown: 0, pending: 6 })
    }).pipe(onSandbox)
  )

  it.live("chooses rows by line, key, reason or file", () =>
    Effect.gen(function* () {
      const { args, file, statusOf } = yield* loaded
      const resend = (...more: ReadonlyArray<string>) =>
        alone(["resolve-unknown", "--as", "resend", "--yes", ...args, ...more])
      const resolved = (rows: number) => [{ event: "Resolved", as: "resend", rows, refused: 0 }]
      expect((yield* resend("--line", "2", "--line", "3")).events).toEqual(resolved(2))
      expect((yield* resend("--key", "c")).events).toEqual(resolved(1))
      const { events } = yield* alone(["failures", ...args])
      const reasons = events
        .filter(({ outcome }) => outcome === "unknown")
        .map(({ key, line, reason }) => ({ key, line, reason }))
      expect(reasons).toMatchObject([{ key: "d", line: 5 }, { key: "e", line: 6 }, { key: "f" }])
      const [d, e] = reasons.map(({ reason }) => String(reason))
      expect(d).not.toBe(e)
      expect((yield* resend("--reason", d ?? "")).events).toEqual(resolved(1))
      const failures = yield* alone(["failures", "--csv", ...args])
      writeFileSync(
        file,
        failures.stdout
          .split("\n")
          .filter((line) => !line.includes(",e,"))
          .join("\n")
      )
      const chosen = yield* resend("--file", file)
      expect(chosen).toMatchObject({ code: 0, events: resolved(1) })
      expect(yield* statusOf).toMatchObject({ unknown: 1, pending: 5, rejected: 1 })
      const wrong = yield* resend("--line", "9", "--key", "e")
      expect(wrong).toMatchObject({ code: 1, events: resolved(0) })
      expect(yield* resend("--line", "x")).toMatchObject({ code: 2 })
    }).pipe(onSandbox)
  )
})

it.live("a run of failures --csv never sends a row of unknown outcome", () =>
  Effect.gen(function* () {
    const { args, file, journal } = yield* loaded
    const { stdout } = yield* alone(["failures", "--csv", ...args])
    writeFileSync(file, stdout)
    const before = (yield* texts).length
    for (const more of [[], ["--ignore-columns"]]) {
      const { code, events } = yield* command([
        "run",
        file,
        "--yes",
        "--campaign",
        "again",
        "--journal",
        journal,
        ...more
      ])
      if (more.length === 0) expect(code).toBe(2)
      else {
        const refused = events.filter(({ event }) => event === "InvalidRow")
        expect(refused).toHaveLength(6)
        for (const row of refused) {
          expect(row).toMatchObject({
            field: "outcome",
            problem: expect.stringContaining("resolve-unknown --as resend")
          })
        }
      }
    }
    // Only the rejected row.
    expect((yield* texts).slice(0, -before)).toEqual(["'=Hello g"])
  }).pipe(onSandbox)
)

describe("the journal as a table:", () => {
  it.live("list names all campaigns", () =>
    Effect.gen(function* () {
      const { args, file, journal } = yield* loaded
      yield* command(["run", file, "--yes", "--campaign", "other", "--journal", journal])
      yield* alone(["pause", ...args])
      const { code, events } = yield* alone(["list", "--journal", journal])
      expect(code).toBe(0)
      expect(events).toMatchObject([
        { event: "Campaign", campaign: "other", state: "running", counts: { sent: 8 } },
        { event: "Campaign", campaign: "rows", state: "paused", counts: { unknown: 6 } }
      ])
      expect(events[0]?.["last"]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      const inZone = ["list", "--time-zone", "Asia/Kolkata", "--journal", journal]
      const { stdout } = yield* alone(inZone, { columns: 80 })
      expect(stdout).toMatch(/^rows +paused +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+05:30 .* unknown 6/m)
    }).pipe(onSandbox)
  )

  it.live("results --csv has line, recipient, outcome, message id, segments and time", () =>
    Effect.gen(function* () {
      const { args } = yield* loaded
      const inZone = ["results", ...args, "--time-zone", "Asia/Kolkata"]
      const { code, stdout } = yield* alone([...inZone, "--csv"])
      expect(code).toBe(0)
      const [first, ...rows] = stdout.trimEnd().split("\n")
      expect(first).toBe("line,recipient,outcome,message_id,segments,time,key,reason")
      expect(rows).toHaveLength(8)
      expect(rows[0]).toMatch(/^2,\+\d+,unknown,,1,\d{4}-\d\d-\d\dT[\d:.]+\+05:30,a,.+$/)
      expect(rows[0]).toContain(numberOf(0))
      expect(rows[7]).toMatch(/^9,\+\d+,sent,[^,]+,1,/)
      // Programs get UTC.
      const { events } = yield* alone(inZone)
      expect(events[0]).toMatchObject({ event: "Row", line: 2, key: "a", outcome: "unknown" })
      expect(events[0]?.["time"]).toMatch(/Z$/)
      expect(JSON.stringify(events)).not.toContain("+1555")
    }).pipe(onSandbox)
  )
})
