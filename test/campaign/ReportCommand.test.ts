import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { alone, command, fileOf } from "./support/Command.ts"
import { captionOf, countOf, tableOf } from "./support/ReportPage.ts"

/** A campaign with one row of unknown outcome, and the arguments that name it. */
const sent = Effect.gen(function* () {
  const { file, journal } = yield* fileOf("recipient,message\n+15550000500,Hi\n+15551230007,Ho\n")
  yield* command(["run", file, "--yes", "--journal", journal])
  const out = join(dirname(file), "report.html")
  return { args: ["report", "--campaign", "rows", "--journal", journal], out }
}).pipe(Effect.provide(Sandbox.layer()))

it.live("report writes the page to a file, or to stdout", () =>
  Effect.gen(function* () {
    const { args, out } = yield* sent
    const { code, events } = yield* alone([...args, "--out", out])
    expect({ code, events }).toEqual({
      code: 0,
      events: [{ event: "Report", campaign: "rows", file: out }]
    })
    const page = readFileSync(out, "utf8")
    expect(page).toContain(">finished</span>")
    expect(countOf(page, "sent")).toBe(1)
    expect(countOf(page, "unknown")).toBe(1)
    const local = yield* alone(args)
    const here = DateTime.zoneToString(DateTime.zoneMakeLocal())
    expect(captionOf(local.stdout, "keys")).toContain(`Time zone: ${here}.`)
    const nairobi = yield* alone([...args, "--time-zone", "Africa/Nairobi"])
    expect(tableOf(nairobi.stdout, "keys")?.[0]?.at(-1)).toMatch(/ \+03:00$/)
    expect(yield* alone([...args, "--time-zone", "Nairobi"])).toMatchObject({
      code: 2,
      stderr: "--time-zone: give a name of the IANA database, such as Africa/Nairobi\n"
    })
    const { stdout } = yield* alone(args)
    expect(tableOf(stdout, "keys")).toEqual(tableOf(page, "keys"))
    expect(stdout).toMatch(/<\/html>\n$/)
    expect(page + stdout).not.toContain("1555")
  }).pipe(Effect.scoped)
)

it.live("report --open-recipients lets only this user read the file, old or new", () =>
  Effect.gen(function* () {
    const { args, out } = yield* sent
    writeFileSync(out, "old", { mode: 0o644 })
    yield* alone([...args, "--out", out, "--open-recipients"])
    expect(tableOf(readFileSync(out, "utf8"), "keys")?.[0]?.[1]).toBe("+15550000500")
    expect(statSync(out).mode & 0o777).toBe(0o600)
  }).pipe(Effect.scoped)
)

it.live("the commands that the page shows do what the page says", () =>
  Effect.gen(function* () {
    const { args } = yield* sent
    const { stdout } = yield* alone(args)
    const lines = [...stdout.matchAll(/<code>npx messaging-topup-campaign ([^<]+)<\/code>/g)]
    const results = yield* Effect.forEach(lines, ([, line = ""]) =>
      // Resending asks on a terminal; the test has none.
      Effect.map(
        alone([...line.replace("resend", "resend --yes").split(" "), ...args.slice(3)]),
        (ended) => (line.startsWith("report") ? countOf(ended.stdout, "sent") : ended.events)
      )
    )
    expect(results).toEqual([
      [{ event: "Resolved", as: "sent", rows: 1, refused: 0 }],
      [{ event: "Resolved", as: "rejected", rows: 0, refused: 0 }],
      [{ event: "Resolved", as: "resend", rows: 0, refused: 0 }],
      2
    ])
  }).pipe(Effect.scoped)
)

it.live("report says why it cannot write the page", () =>
  Effect.gen(function* () {
    const { args, out } = yield* sent
    const nowhere = join(dirname(out), "nowhere", "report.html")
    expect(yield* alone([...args, "--out", nowhere])).toMatchObject({
      code: 1,
      stderr: "--out: the file cannot be written (ENOENT)\n"
    })
    expect(yield* alone(args, { columns: 80 })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("give --out report.html")
    })
    const other = args.with(2, "other")
    expect(yield* alone([...other, "--out", out])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The journal has no campaign")
    })
    expect(existsSync(out)).toBe(false)
  }).pipe(Effect.scoped)
)
