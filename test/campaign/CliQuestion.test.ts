import { describe, expect, it } from "@effect/vitest"
import { CampaignJournal, SendJournal } from "@messaging-topup/journal"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  command,
  csvOf,
  fileOf,
  numberOf,
  onSandbox,
  texts,
  withoutCounters
} from "./support/Command.ts"

const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)

/** The counts of the tables by their names. */
const countsOf = (stdout: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stdout
      .split("\n")
      .map((line) => /^ {2}(.*?) {2,}(\S+)$/.exec(line))
      .flatMap((found) => (found === null ? [] : [[found[1] ?? "", found[2] ?? ""]]))
  )

const asked = (args: ReadonlyArray<string>, answer = "n\n") =>
  Effect.map(command(args, { columns: 80, stdin: [answer] }), ({ code, stderr, stdout }) => ({
    code,
    stderr: withoutCounters(stderr),
    stdout,
    counts: countsOf(stdout)
  }))

describe("the question before sending", () => {
  it.live("shows what is new, what was sent, and what stays unknown", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(6))
      const run = ["run", file, "--journal", journal]
      const sandbox = yield* Sandbox
      yield* command([...run, "--yes"])
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
      writeFileSync(file, csvOf(8))
      yield* command([...run, "--yes"])
      yield* sandbox.clearFault
      writeFileSync(file, csvOf(20))
      const { counts, stderr } = yield* asked(run)
      expect(counts).toMatchObject({
        new: "12",
        "sent already": "6",
        "unknown, not sent again": "2",
        "segments to send": "12",
        "recipients with an SMS of other campaigns": "0"
      })
      expect(stderr).toContain("Send 12 SMS? [y/N] Nothing was sent\n")
    }).pipe(onSandbox)
  )

  it.live(
    "shows the first two texts that will be sent, without characters that hide something",
    () =>
      Effect.gen(function* () {
        const rows = [1, 2, 3].map((n) => `${numberOf(n)},"text ${n}\n\u001b[2K\u202e!"\n`)
        const { file, journal } = yield* fileOf(`recipient,message\n${rows.join("")}`)
        const run = ["run", file, "--journal", journal]
        const ended = yield* command(run, { columns: 80, stdin: ["n\n"] })
        const { stdout } = ended
        const stderr = ended.stderr.slice(ended.stderr.indexOf("The first texts"))
        expect(stderr).toContain("text 1")
        expect(stderr).toContain("text 2")
        for (const hidden of ["\u001b", "\u202e"]) expect(stderr).not.toContain(hidden)
        expect(stdout).not.toContain("text 1")
      }).pipe(onSandbox)
  )

  it.live("shows recipients whom the journal has written to, and since when", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(10))
      yield* command(["run", file, "--campaign", "first", "--yes", "--journal", journal])
      // Nothing of it was really sent.
      const tried = [0, 1, 2].map((n) => `${numberOf(900 + n)},x\n`).join("")
      writeFileSync(file, `recipient,message\n${tried}`)
      yield* command(["run", file, "--yes", "--sandbox", "--journal", journal])
      const spelled = numberOf(2).replace("+", "00 ")
      const other = [numberOf(0), numberOf(1), spelled, numberOf(50)]
        .map((number, n) => `${number},Other ${n}\n`)
        .join("")
      writeFileSync(file, `recipient,message\n${other}${tried}`)
      const zone = ["--time-zone", "Pacific/Kiritimati"]
      const second = yield* asked([
        "run",
        file,
        "--campaign",
        "second",
        "--journal",
        journal,
        ...zone
      ])
      expect(second.counts).toMatchObject({
        new: "7",
        [`recipients with an SMS of other campaigns, since ${today} (+14:00)`]: "3"
      })
      // The corrected file of a campaign: the people get a second SMS.
      const first = yield* asked(["run", file, "--campaign", "first", "--journal", journal])
      expect(first.counts).toMatchObject({
        new: "7",
        "sent already": "0",
        "recipients with another SMS of this campaign": "3",
        "recipients with an SMS of other campaigns": "0"
      })
    }).pipe(onSandbox)
  )

  it.live("shows repeated recipients and excluded numbers", () =>
    Effect.gen(function* () {
      const files = yield* fileOf(`${csvOf(5)}${numberOf(0)},Once more\n`)
      const list = join(files.file, "../stop.txt")
      writeFileSync(list, `${numberOf(1)}\n${numberOf(2)}\n`)
      const run = ["run", files.file, "--exclude", list, "--journal", files.journal]
      const refused = yield* asked(run)
      expect(refused.stderr).toContain(
        "rows.csv, line 7, recipient: an earlier row has this recipient: "
      )
      expect(refused.counts).toMatchObject({
        "can be sent": "3",
        invalid: "1",
        excluded: "2",
        "same recipient as an earlier row": "1",
        new: "3"
      })
      const allowed = yield* asked([...run, "--allow-repeats"], "y\n")
      expect(allowed.counts).toMatchObject({ "can be sent": "4", excluded: "2", new: "4" })
      expect((yield* texts).toSorted()).toEqual(["Hello 0", "Hello 3", "Hello 4", "Once more"])
    }).pipe(onSandbox)
  )

  it.live("is not asked if nothing will be sent", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const run = ["run", file, "--journal", journal]
      yield* command([...run, "--yes"])
      const { code, counts, stderr } = yield* asked(run, "y\n")
      expect(counts).toMatchObject({ new: "0", "sent already": "5" })
      expect(stderr).toBe("Nothing will be sent: the journal has every row of the file already\n")
      expect(code).toBe(0)
      expect(yield* texts).toHaveLength(5)
    }).pipe(onSandbox)
  )

  it.live("is not asked if rows are only in flight, and the command says what they may be", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(3))
      const run = ["run", file, "--yes", "--journal", journal]
      yield* command(run, { env: { MESSAGING_TOPUP_TOKEN: "wrong" } })
      // As a process does that is killed before its requests have ended.
      yield* Effect.gen(function* () {
        const { begin, exchange, openSlices } = yield* SendJournal
        yield* Effect.flatMap(CampaignJournal, ({ resume }) => resume("rows"))
        const [slice = 0] = yield* openSlices("rows")
        const { attempt, rows } = yield* begin(slice)
        yield* exchange(attempt, { settle: [], claim: rows.map(({ id }) => id) })
      }).pipe(Effect.provide(Sqlite.layer(journal.replace("sqlite:", ""))))
      const { code, stderr } = yield* command(run)
      expect(code).toBe(3)
      expect(stderr).toContain(
        `3 rows in flight. If no process is sending this campaign, a process was killed: npx messaging-topup-campaign resume --campaign rows --journal ${journal}\n`
      )
      const shown = ["status", "--campaign", "rows", "--journal", journal]
      expect((yield* command(shown, { columns: 80 })).stdout).toMatch(
        /in flight +3\nIn flight: a process sends these rows, or was killed\. If it was killed, they may have gone out: resume makes them unknown\n$/
      )
      const { events } = yield* command(["resume", "--campaign", "rows", "--journal", journal])
      expect(events.at(-1)).toMatchObject({ counts: { unknown: 3, attempting: 0 } })
      // The process may be frozen: until the deadline of its claim, it may still send them.
      const place = ["--campaign", "rows", "--journal", journal]
      const resend = yield* command(["resolve-unknown", "--as", "resend", "--yes", ...place])
      expect(resend).toMatchObject({ code: 1, events: [{ rows: 0, refused: 3 }] })
      expect(resend.stderr).toContain(
        "3 rows not changed: a process may still start their requests. Repeat this in 10 seconds\n"
      )
    }).pipe(onSandbox)
  )

  it.live("is not asked with --yes, which prints the same counts, without texts", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      yield* command(["run", file, "--campaign", "first", "--yes", "--journal", journal])
      const run = ["run", file, "--yes", "--campaign", "second", "--journal", journal]
      const { code, events, stderr } = yield* command(run)
      expect(code).toBe(0)
      expect(events.slice(0, 2)).toMatchObject([
        { event: "Totals", rows: 5 },
        {
          event: "Compared",
          new: 5,
          sent: 0,
          pending: 0,
          segments: 5,
          recipients_of_this_campaign: 0,
          recipients_of_other_campaigns: 5,
          since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        }
      ])
      expect(stderr).toBe("")
      const again = yield* command(run)
      expect(again.code).toBe(0)
      expect(again.events.map(({ event }) => event)).toEqual(["Totals", "Compared"])
      expect(again.events[1]).toMatchObject({ new: 0, sent: 5 })
      expect(again.stderr).toBe(
        "Nothing will be sent: the journal has every row of the file already\n"
      )
      expect(yield* texts).toHaveLength(10)
      const shown = yield* command(run, { columns: 80 })
      expect(countsOf(shown.stdout)).toMatchObject({ new: "0", "sent already": "5" })
    }).pipe(onSandbox)
  )

  it.live("lists the rows whose key has another content, before anything is sent", () =>
    Effect.gen(function* () {
      const header = "recipient,message,key\n"
      const { file, journal } = yield* fileOf(`${header}${numberOf(1)},a,k1\n`)
      const run = ["run", file, "--journal", journal]
      yield* command([...run, "--yes"])
      writeFileSync(file, `${header}${numberOf(1)},b,k1\n`)
      const { code, counts, stderr } = yield* asked(run, "y\n")
      expect(counts).toMatchObject({ "can be sent": "0", invalid: "1" })
      expect(stderr).toMatch(
        /^rows.csv, line 2, message: the journal has the same key with another/
      )
      expect(stderr).not.toContain("[y/N]")
      expect(code).toBe(3)
    }).pipe(onSandbox)
  )

  it.live("tells rows of the file from rows that are pending since an earlier run", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(4))
      const run = ["run", file, "--journal", journal]
      const env = { MESSAGING_TOPUP_TOKEN: "wrong" }
      yield* command([...run, "--yes"], { env })
      writeFileSync(file, `recipient,message\n${numberOf(50)},New\n`)
      const { counts, stderr } = yield* asked(run, "y\n")
      expect(counts).toMatchObject({
        new: "1",
        "pending from an earlier run": "4",
        segments: "1"
      })
      expect(stderr).toContain("Send 5 SMS?")
      expect(yield* texts).toHaveLength(5)
    }).pipe(onSandbox)
  )
})

describe("files and trials", () => {
  const list = `recipient;Name;city\n${numberOf(1)};Ana;Bonn\n${numberOf(2)};Zoë;Ulm\n${numberOf(3)};;Ulm\n${numberOf(4)};Eva;Ulm\n`

  it.live("a template makes the texts, which the journal gets", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(list)
      const args = [file, "--template", "Hello {name}", "--ignore-columns"]
      const { code, counts, stderr } = yield* asked(["run", ...args, "--journal", journal], "y\n")
      expect(stderr).toContain("rows.csv, line 4, name: it is empty, and the template uses it\n")
      expect(stderr).toContain('"Hello Ana"\n')
      expect(counts).toMatchObject({ "can be sent": "3", invalid: "1", segments: "3" })
      expect(code).toBe(3)
      expect((yield* texts).toSorted()).toEqual(["Hello Ana", "Hello Eva", "Hello Zoë"])
      const price = yield* command(["preview", ...args, "--price-per-segment", "0.07"])
      expect(price.events.at(-1)).toMatchObject({ event: "Totals", segments: 3, price: 0.21 })
      expect(price.stdout).not.toContain("Hello")
    }).pipe(onSandbox)
  )

  it.live.each([
    ["--template", "Hello {name", "--template: a brace is missing"],
    ["--limit", "0", "--limit: give a whole number from 1"],
    ["--limit", "1.5", "--limit: give a whole number from 1"],
    ["--to", "2.34803E+12", "--to: it is a number that a spreadsheet changed"],
    ["--exclude", "none.txt", "none.txt: the file does not exist"],
    ["--delimiter", ";;", "--delimiter: give one character, or tab"]
  ])("%j fails before anything is read", ([flag, value, problem]) =>
    Effect.gen(function* () {
      const { file } = yield* fileOf(list)
      const { code, stderr } = yield* command(["preview", file, flag ?? "", value ?? ""])
      expect(stderr).toContain(problem)
      expect([1, 2]).toContain(code)
    }).pipe(onSandbox)
  )

  it.live("a trial goes to one number, and leaves the real rows to be sent", () =>
    Effect.gen(function* () {
      const keyed = `recipient,message,key\n${[1, 2, 3, 4, 5].map((n) => `${numberOf(n)},Hello ${n},k${n}\n`).join("")}`
      const { file, journal } = yield* fileOf(keyed)
      const run = ["run", file, "--yes", "--journal", journal]
      const me = numberOf(99)
      const trial = yield* command([...run, "--to", me])
      expect(trial.events[0]).toMatchObject({ rows: 3, over_limit: 2 })
      expect(trial.events.at(-1)).toMatchObject({ campaign: "trial:rows", counts: { sent: 3 } })
      const { messages } = yield* Sandbox
      expect((yield* messages()).map(({ recipient }) => recipient)).toEqual([me, me, me])
      expect((yield* command([...run, "--limit", "2"])).events.at(-1)).toMatchObject({
        campaign: "rows",
        counts: { sent: 2 }
      })
      expect((yield* command(run)).events.at(-1)).toMatchObject({ counts: { sent: 5 } })
      expect(yield* messages()).toHaveLength(8)
    }).pipe(onSandbox)
  )
})
