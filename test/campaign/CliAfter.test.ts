/**
 * What a person does after a run: `results`, `resolve`, `report`, `prune`.
 */
import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder } from "../harness/journal/Files.ts"
import { alone, command, fileOf, numberOf, onSandbox, texts } from "../harness/campaign/Command.ts"
import { countOf, tableOf } from "../harness/campaign/ReportPage.ts"

/** A file of which no two rows end alike, sent. */
const sent = Effect.gen(function* () {
  const rows = [
    `Ann,${numberOf(1)},Hi Ann`,
    `Bob,+15550000404,Hi Bob`,
    `Cem,+15550000500,=Hi Cem`,
    `Dan,12,Hi Dan`,
    `Eve,${numberOf(1)},Hi Eve`,
    `Fay,+15550010500,"Hi, Fay"`
  ]
  const { file, journal } = yield* fileOf(`Name,Recipient,Message\n${rows.join("\n")}\n`)
  const reading = ["--ignore-columns", "--journal", journal]
  const run = ["run", file, "--yes", ...reading]
  yield* command(run)
  return { file, journal, reading, run }
})

const broken = 'the service responded ""Internal server error"" (InternalServerError 500)'

const resultsHead = "Name,Recipient,Message,outcome,message_id,reason"

describe("results", () => {
  it.live("has every row of the file with its own columns, its outcome and the reason", () =>
    Effect.gen(function* () {
      const { file, reading } = yield* sent
      const { code, stderr, stdout } = yield* alone(["results", file, ...reading])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      const [head, ann, ...others] = stdout.trimEnd().split("\n")
      expect(head).toBe(resultsHead)
      expect(ann).toMatch(/^Ann,\+\d+,Hi Ann,sent,sbx-[^,]+,$/)
      expect(others).toEqual([
        'Bob,+15550000404,Hi Bob,rejected,,"the service responded ""Not found"" (NotFound 404)"',
        `Cem,+15550000500,'=Hi Cem,unknown,,"${broken}"`,
        "Dan,12,Hi Dan,invalid,,recipient: it has fewer than 5 digits",
        expect.stringMatching(/^Eve,\+\d+,Hi Eve,invalid,,"?recipient: an earlier row has this/),
        `Fay,+15550010500,"Hi, Fay",unknown,,"${broken}"`
      ])
      // A row that may have gone out is not sent again from the results.
      writeFileSync(file, stdout)
      const again = yield* command(["run", file, "--yes", "--campaign", "again", ...reading])
      const refused = again.events.filter(({ field }) => field === "outcome")
      expect(refused.map(({ line }) => line)).toEqual([2, 4, 7])
    }).pipe(onSandbox)
  )

  it.live("says what excluded, changed and new rows are, too", () =>
    Effect.gen(function* () {
      const keyed = (text: string) =>
        `recipient,message,key\n10001,${text},a\n10002,x,b\n${text === "new" ? "10003,x,c\n" : ""}`
      const { file, journal } = yield* fileOf(keyed("old"))
      yield* command(["run", file, "--yes", "--journal", journal])
      writeFileSync(file, keyed("new"))
      const stop = join(dirname(file), "stop.txt")
      writeFileSync(stop, "10002\n")
      const args = ["results", file, "--exclude", stop, "--journal", journal]
      const { stdout } = yield* alone(args)
      expect(stdout.split("\n").slice(1, 4)).toEqual([
        expect.stringContaining(',changed,,"the journal has this key with another request'),
        "10002,x,b,not sent,,excluded",
        "10003,x,c,not sent,,"
      ])
    }).pipe(onSandbox)
  )

  it.live("goes to a file that only this user may read, or to a redirected stdout", () =>
    Effect.gen(function* () {
      const { file, reading } = yield* sent
      const out = join(dirname(file), "results.csv")
      writeFileSync(out, "old", { mode: 0o644 })
      const args = ["results", file, ...reading]
      const written = yield* alone([...args, "--out", out], { columns: 80 })
      expect(written.stderr).toContain("  unknown   2\n")
      expect(statSync(out).mode & 0o777).toBe(0o600)
      expect(readFileSync(out, "utf8")).toBe((yield* alone(args)).stdout)
      expect(yield* alone(args, { columns: 80 })).toMatchObject({ code: 2, stdout: "" })
    }).pipe(onSandbox)
  )

  it.live("--statuses asks the service for each sent row", () =>
    Effect.gen(function* () {
      const { file, reading } = yield* sent
      const sandbox = yield* Sandbox
      const args = ["results", file, "--statuses", ...reading]
      const { code, stdout } = yield* command(args)
      const [head = "", ann = "", bob = ""] = stdout.split("\n")
      expect(code).toBe(0)
      expect(head).toBe(`${resultsHead},status`)
      expect(ann).toMatch(/,SANDBOX_\w+$/)
      expect(bob).toMatch(/NotFound 404\)",$/)
      yield* sandbox.setFault({ fault: "Response", status: 404, body: "{}" })
      expect(yield* command(args)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining("1 status could not be read")
      })
    }).pipe(onSandbox)
  )
})

describe("resolve", () => {
  const resolved = (as: string, rows: number) => [{ event: "Resolved", as, rows }]

  it.live("decides about the unknown rows of a file, or of some lines", () =>
    Effect.gen(function* () {
      const { file, reading, run } = yield* sent
      const resolve = (...more: ReadonlyArray<string>) =>
        alone(["resolve", file, "--yes", ...reading, ...more])
      expect((yield* resolve("--sent", "--line", "2")).events).toEqual(resolved("sent", 0))
      expect((yield* resolve("--sent", "--line", "7")).events).toEqual(resolved("sent", 1))
      const rest = yield* resolve("--resend")
      expect(rest.events).toEqual(resolved("resend", 1))
      const again = yield* command(run)
      expect(again.events.at(-1)).toMatchObject({ sent: 2, unknown: 1, rejected: 1 })
      expect((yield* resolve("--not-sent")).events).toEqual(resolved("notSent", 1))
      const last = yield* command(run)
      expect(last.events.at(-1)).toMatchObject({ to_send: 0, closed: 1 })
      const { stdout } = yield* alone(["results", file, ...reading])
      expect(stdout).toContain(",not sent,,a person decided so")
    }).pipe(onSandbox)
  )

  it.live("--resend asks a person, and needs one word", () =>
    Effect.gen(function* () {
      const { journal } = yield* sent
      const args = ["resolve", "--campaign", "rows", "--journal", journal]
      const no = yield* alone([...args, "--resend"], { columns: 80, stdin: ["n\n"] })
      expect(no.code).toBe(1)
      expect(no.stderr).toContain(
        "Send 2 rows of unknown outcome again? They may have gone out: their recipients may get a second SMS. [y/N] Nothing was changed"
      )
      expect(yield* alone([...args, "--resend"])).toMatchObject({ code: 2 })
      expect((yield* alone(args)).stderr).toBe("Give one of --sent, --not-sent and --resend\n")
      expect(yield* alone([...args, "--sent", "--resend", "--yes"])).toMatchObject({ code: 2 })
      expect((yield* alone([...args, "--sent", "--line", "1"])).stderr).toBe(
        "--line needs the file\n"
      )
      const yes = yield* alone([...args, "--resend"], { columns: 80, stdin: ["y\n"] })
      expect(yes).toMatchObject({ code: 0, stdout: "2 rows: sent again by the next run\n" })
    }).pipe(onSandbox)
  )
})

describe("report", () => {
  it.live("has the sums of the journal, and with the file what could not be sent", () =>
    Effect.gen(function* () {
      const { file, journal, reading } = yield* sent
      const out = join(dirname(file), "report.html")
      const written = yield* alone(["report", file, ...reading, "--out", out])
      expect(written).toMatchObject({
        code: 0,
        events: [{ event: "Report", campaign: "rows", file: out }]
      })
      const page = readFileSync(out, "utf8")
      const counts = ["sent", "rejected", "unknown", "total", "impossible"]
      expect(counts.map((name) => countOf(page, name))).toEqual([1, 1, 2, 4, 2])
      expect(tableOf(page, "reasons")).toEqual([
        [broken.replaceAll('""', '"'), "unknown", "2"],
        ['the service responded "Not found" (NotFound 404)', "rejected", "1"]
      ])
      const steps = tableOf(page, "time") ?? []
      const summed = [1, 2, 3].map((at) => steps.reduce((sum, row) => sum + Number(row[at]), 0))
      expect(summed).toEqual([1, 1, 2])
      expect(page).not.toMatch(/1555|Hi |Ann/)
      const inZone = ["report", "--campaign", "rows", "--journal", journal, "--time-zone"]
      const nairobi = yield* alone([...inZone, "Africa/Nairobi"])
      expect(tableOf(nairobi.stdout, "keys")?.[0]?.at(-1)).toMatch(/ \+03:00$/)
      expect(yield* alone([...inZone, "Nairobi"])).toMatchObject({ code: 2 })
    }).pipe(onSandbox)
  )

  it.live("shows commands that do what the page says", () =>
    Effect.gen(function* () {
      const { journal } = yield* sent
      const { stdout } = yield* alone(["report", "--campaign", "rows", "--journal", journal])
      const lines = [...stdout.matchAll(/<code>npx messaging-topup-campaign ([^<]+)<\/code>/g)]
      expect(lines).toHaveLength(3)
      const codes = yield* Effect.forEach(lines, ([, line = ""]) =>
        Effect.map(alone([...line.split(" "), "--yes", "--journal", journal]), ({ code }) => code)
      )
      expect(codes).toEqual([0, 0, 0])
    }).pipe(onSandbox)
  )

  it.live("has no plot for a campaign without outcomes", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf("recipient,message\n+15550000403,a\n")
      yield* command(["run", file, "--yes", "--journal", journal])
      const { stdout } = yield* alone(["report", file, "--journal", journal])
      expect(countOf(stdout, "waiting")).toBe(1)
      expect(stdout).not.toContain('class="plot"')
    }).pipe(onSandbox)
  )
})

it.live("commands on a campaign fail if there is none, and create nothing", () =>
  Effect.gen(function* () {
    const { journal } = yield* sent
    const path = yield* folder
    for (const args of [["report"], ["prune", "--yes"], ["resolve", "--sent"]]) {
      const missing = `sqlite:${path}/none.sqlite`
      expect(yield* alone([...args, "--campaign", "x", "--journal", missing])).toMatchObject({
        code: 1,
        stderr: `The journal ${path}/none.sqlite does not exist: check --journal\n`
      })
      expect(yield* alone([...args, "--campaign", "x", "--journal", journal])).toMatchObject({
        code: 1,
        stderr: 'The journal has no campaign "x": check --campaign and --journal\n'
      })
      expect((yield* alone([...args, "--journal", journal])).code).toBe(2)
    }
    expect(existsSync(`${path}/none.sqlite`)).toBe(false)
  }).pipe(onSandbox)
)

it.live("prune asks, keeps campaigns with unknown rows, and forgets the others", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* sent
    const args = ["prune", "--campaign", "rows", "--journal", journal]
    expect(yield* alone([...args, "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/their outcome is unknown, and nothing was deleted/)
    })
    const no = yield* alone([...args, "--unknown"], { columns: 80, stdin: ["n\n"] })
    expect(no.stderr).toContain('Delete the outcomes of 4 rows of "rows"?')
    expect(no.code).toBe(1)
    expect((yield* alone([...args, "--unknown", "--yes"])).events).toEqual([
      { event: "Pruned", campaign: "rows", rows: 4 }
    ])
    const before = (yield* texts).length
    const run = ["run", file, "--yes", "--ignore-columns", "--journal", journal]
    expect(yield* command(run)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("were pruned, and nothing was sent")
    })
    expect(yield* texts).toHaveLength(before)
  }).pipe(onSandbox)
)

it.live("results and report do not wait for a process that writes", () =>
  Effect.gen(function* () {
    const { file, journal, reading } = yield* sent
    const other = new DatabaseSync(journal.replace("sqlite:", ""))
    other.exec("begin immediate")
    for (const name of ["results", "report"]) {
      const { code, stderr } = yield* alone([name, file, ...reading])
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" })
    }
    other.exec("rollback")
    other.close()
  }).pipe(onSandbox)
)
