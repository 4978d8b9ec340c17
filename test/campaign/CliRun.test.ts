import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "../harness/journal/Files.ts"
import {
  alone,
  command,
  csvOf,
  fileOf,
  numberOf,
  onSandbox,
  start,
  texts,
  withoutCounters
} from "../harness/campaign/Command.ts"

const ended = {
  event: "Ended",
  campaign: "rows",
  state: "finished",
  sent: 0,
  rejected: 0,
  unknown: 0,
  closed: 0,
  changed: 0,
  not_sent: 0,
  invalid: 0,
  sent_now: 0
}

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

describe("run", () => {
  it.live("sends each row once, and prints the result", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(20))
      const run = command(["run", file, "--yes", "--journal", journal])
      const { code, events, stderr } = yield* run
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(events.slice(0, 2)).toMatchObject([
        { event: "Totals", rows: 20, invalid: 0, segments: 20, encoding: "utf-8" },
        { event: "Compared", to_send: 20, sent: 0 }
      ])
      expect(events.at(-1)).toEqual({ ...ended, sent: 20, sent_now: 20 })
      expect(new Set(yield* texts).size).toBe(20)
      const again = yield* run
      expect(again).toMatchObject({ code: 0, stderr: "Nothing to send\n" })
      expect(again.events.map(({ event }) => event)).toEqual(["Totals", "Compared"])
      expect(again.events[1]).toMatchObject({ to_send: 0, sent: 20 })
      expect(yield* texts).toHaveLength(20)
    }).pipe(onSandbox)
  )

  it.live("sends equal rows as often as they are there, also in a second run", () =>
    Effect.gen(function* () {
      const row = `${numberOf(0)},Hello\n`
      const { file, journal } = yield* fileOf(`recipient,message\n${row}${row}`)
      const run = command(["run", file, "--yes", "--allow-repeats", "--journal", journal])
      yield* run
      yield* run
      expect(yield* texts).toHaveLength(2)
      writeFileSync(file, `recipient,message\n${row}${numberOf(1)},Bye\n${row}`)
      yield* run
      expect(yield* texts).toHaveLength(3)
    }).pipe(onSandbox)
  )

  it.live("does not send changed rows, however many, and sends the others", () =>
    Effect.gen(function* () {
      const rows = (text: string) =>
        `recipient,message,key\n${Array.from({ length: 150 }, (_, i) => `${10001 + i},${text},${i}\n`).join("")}`
      const { file, journal } = yield* fileOf(rows("a"))
      const run = ["run", file, "--journal", journal]
      yield* command([...run, "--yes"])
      writeFileSync(file, `${rows("b")}20000,new,new\n`)
      const { code, counts, stderr } = yield* asked(run, "y\n")
      expect(counts).toMatchObject({ "to send": "1", "changed, not sent": "150" })
      expect(stderr).toContain("rows.csv, line 2: the journal has this key with another request")
      expect(stderr).toContain("Send 1 SMS? [y/N] ")
      expect(code).toBe(3)
      expect((yield* texts).filter((text) => text !== "a")).toEqual(["new"])
    }).pipe(onSandbox)
  )

  it.live("changes numbers to E.164 if a country is given, and keeps the keys of rows", () =>
    Effect.gen(function* () {
      const content = "recipient,message\n0803 123 4567,a\n+41 79 460 64 00,b\n12,c\n"
      const { file, journal } = yield* fileOf(content)
      const args = ["run", file, "--yes", "--journal", journal]
      const { events } = yield* command([...args, "--country", "NG"])
      expect(events.slice(0, 2)).toMatchObject([
        { event: "InvalidRow", line: 4, field: "recipient" },
        { event: "Totals", rows: 2, invalid: 1, normalized: 2 }
      ])
      const { messages } = yield* Sandbox
      expect((yield* messages()).map(({ recipient }) => recipient).toSorted()).toEqual([
        "+2348031234567",
        "+41794606400"
      ])
      yield* command(args)
      expect((yield* texts).filter((text) => text === "a")).toHaveLength(1)
    }).pipe(onSandbox)
  )

  it.live("reads stdin, and leaves nothing of it", () =>
    Effect.gen(function* () {
      const { journal } = yield* fileOf("")
      const path = yield* folder
      const args = ["run", "-", "--campaign", "c", "--yes", "--journal", journal]
      const running = yield* start(args, { TMPDIR: path }, [csvOf(5)])
      expect((yield* running.ended).events.at(-1)).toMatchObject({ campaign: "c", sent: 5 })
      expect(readdirSync(path)).toEqual(["node-compile-cache"])
      expect((yield* command(args, { stdin: [csvOf(5)] })).events).toHaveLength(2)
      expect(yield* texts).toHaveLength(5)
    }).pipe(onSandbox)
  )

  it.live("prints no numbers, no texts and no token, and stores none", () =>
    Effect.gen(function* () {
      const content = [
        "recipient,message,key",
        "+15550000400,secret text,k1",
        "+15550000500,secret text,+15550000500",
        ",secret text,",
        "+15550001237,secret text,15550001237",
        "+15550001247,secret text,"
      ].join("\n")
      const { file, journal } = yield* fileOf(content)
      const printed = [
        yield* command(["run", file, "--dry-run"]),
        yield* command(["run", file, "--yes", "--journal", journal]),
        yield* command(["report", file, "--journal", journal])
      ].flatMap(({ stderr, stdout }) => [stderr, stdout])
      expect(printed.join("").replaceAll(/The first texts:(\n {2}.*)*/g, "")).not.toMatch(
        /1555|secret|sandbox-/
      )
      expect(printed.join("")).toContain("InvalidRequest 400")
      for (const name of readdirSync(dirname(file)).filter((each) => each.startsWith("journal"))) {
        const bytes = readFileSync(join(dirname(file), name))
        for (const encoding of ["latin1", "utf16le"] as const) {
          expect(bytes.toString(encoding)).not.toMatch(/1555|secret/)
        }
      }
      // The keys that are numbers are known again.
      const again = yield* command(["run", file, "--yes", "--journal", journal])
      expect(again.events.at(-1)).toMatchObject({ to_send: 0, sent: 2, rejected: 1, unknown: 1 })
    }).pipe(onSandbox)
  )
})

describe("the question", () => {
  it.live("shows the totals, the first texts and what the journal knows, and is answered", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(6))
      const args = ["run", file, "--journal", journal]
      const sandbox = yield* Sandbox
      yield* command([...args, "--yes"])
      yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
      writeFileSync(file, csvOf(8))
      yield* command([...args, "--yes"])
      yield* sandbox.clearFault
      writeFileSync(file, csvOf(20))
      const no = yield* asked(args)
      expect(no.code).toBe(1)
      expect(no.counts).toMatchObject({
        "can be sent": "20",
        "to send": "12",
        "segments to send": "12",
        "sent already": "6",
        "unknown, not sent again": "2"
      })
      expect(no.stderr).toBe(
        'The first texts:\n  "Hello 8"\n  "Hello 9"\n  "Hello 10"\nSend 12 SMS? [y/N] Nothing was sent\n'
      )
      const yes = yield* asked(args, "yes\n")
      expect(yes.code).toBe(3)
      expect(yes.stdout).toContain(
        [
          "rows: finished",
          "  sent      18",
          "  rejected   0",
          "  unknown    2",
          `Report: npx messaging-topup-campaign report --campaign rows --journal ${journal} --out report.html`,
          ""
        ].join("\n")
      )
      expect(yes.stderr).toContain("The outcome of 2 is unknown: they may have gone out")
    }).pipe(onSandbox)
  )

  it.live("shows texts without characters that hide something", () =>
    Effect.gen(function* () {
      const row = `${numberOf(1)},"text\n\u001b[2K\u202e!"\n`
      const { file, journal } = yield* fileOf(`recipient,message\n${row}`)
      const { stderr, stdout } = yield* command(["run", file, "--journal", journal], {
        columns: 80,
        stdin: ["n\n"]
      })
      const shown = stderr.slice(stderr.indexOf("The first texts"))
      expect(shown).toContain("text")
      for (const hidden of ["\u001b", "\u202e"]) expect(shown).not.toContain(hidden)
      expect(stdout).not.toContain("text")
    }).pipe(onSandbox)
  )

  it.live("shows words of a file that is no Unicode", () =>
    Effect.gen(function* () {
      const content = Buffer.from(
        `recipient,message\n${numberOf(1)},Caf\u00e9 Zo\u00eb\n`,
        "latin1"
      )
      const { file, journal } = yield* fileOf(content)
      const { stderr } = yield* asked(["run", file, "--journal", journal], "y\n")
      expect(stderr).toContain('rows.csv is not UTF-8, and is read as Windows-1252: "Café"')
      expect(yield* texts).toEqual(["Café Zoë"])
    }).pipe(onSandbox)
  )

  it.live("shows who got an SMS of the campaign before, with their lines", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(10))
      yield* command(["run", file, "--campaign", "first", "--yes", "--journal", journal])
      const spelled = numberOf(2).replace("+", "00 ")
      const other = [numberOf(0), numberOf(1), spelled, numberOf(50)]
        .map((number, n) => `${number},Other ${n}\n`)
        .join("")
      writeFileSync(file, `recipient,message\n${other}`)
      const run = ["run", file, "--journal", journal]
      // The corrected file of a campaign: the people get a second SMS.
      const first = yield* asked([...run, "--campaign", "first"])
      expect(first.counts).toMatchObject({
        "to send": "4",
        "sent already": "0",
        "recipients with another SMS of this campaign": "3"
      })
      expect(first.stderr).toContain("rows.csv, line 2, recipient: this recipient got another SMS")
      expect(first.stderr).toContain("Send 4 SMS? 3 recipients get another one. [y/N] ")
      const unasked = yield* command([...run, "--campaign", "first", "--yes"])
      expect(unasked.code).toBe(1)
      expect(unasked.stderr).toContain("give --allow-repeats\n")
      expect(yield* texts).toHaveLength(10)
      const allowed = [...run, "--campaign", "first", "--yes", "--allow-repeats"]
      expect((yield* command(allowed)).code).toBe(0)
      expect(yield* texts).toHaveLength(14)
    }).pipe(onSandbox)
  )

  it.live("leaves out repeated recipients and excluded numbers", () =>
    Effect.gen(function* () {
      const files = yield* fileOf(`${csvOf(5)}${numberOf(0)},Once more\n`)
      const list = join(files.file, "../stop.txt")
      writeFileSync(list, `${numberOf(1)}\n${numberOf(2)}\n`)
      const run = ["run", files.file, "--exclude", list, "--journal", files.journal]
      const refused = yield* asked(run)
      expect(refused.stderr).toContain("line 7, recipient: an earlier row has this recipient: ")
      expect(refused.counts).toMatchObject({
        "can be sent": "3",
        invalid: "1",
        excluded: "2",
        "same recipient as an earlier row": "1",
        "to send": "3"
      })
      yield* asked([...run, "--allow-repeats"], "y\n")
      expect((yield* texts).toSorted()).toEqual(["Hello 0", "Hello 3", "Hello 4", "Once more"])
    }).pipe(onSandbox)
  )

  it.live("is needed: without a terminal nothing is read or stored", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const refused = yield* command(["run", file, "--journal", journal])
      expect(refused).toMatchObject({
        code: 2,
        stderr:
          "There is no terminal for the question, and nothing was sent: give --yes to skip the question\n"
      })
      expect(existsSync(journal.replace("sqlite:", ""))).toBe(false)
      const stdin = yield* command(["run", "-", "--campaign", "c"], { columns: 80 })
      expect(stdin.stderr).toMatch(/^The rows come from stdin, so nobody can answer a question/)
    }).pipe(onSandbox)
  )

  it.live("is void if the file changes before it is answered", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      function* reply() {
        // The question has been asked by now.
        appendFileSync(file, `${numberOf(9)},late\n`)
        yield "y\n"
      }
      const args = ["run", file, "--journal", journal]
      const { code, stderr } = yield* command(args, { columns: 80, stdin: reply() })
      expect(code).toBe(1)
      expect(stderr).toContain("rows.csv: the file changed after it was read, and nothing was sent")
      expect(yield* texts).toEqual([])
    }).pipe(onSandbox)
  )
})

it.live("--dry-run shows what would be sent, and stores nothing", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(`${csvOf(1200)}${numberOf(0)},Hello 0\n,\n,x\n`)
    const dry = ["run", file, "--dry-run", "--journal", journal]
    const { code, stderr, stdout } = yield* alone(dry, { columns: 80 })
    expect(code).toBe(3)
    expect(withoutCounters(stderr)).toContain("rows.csv, line 1204, recipient: it is empty\n")
    expect(stdout).toContain(
      [
        "rows.csv: 1,202 rows",
        "  can be sent                       1,200",
        "  invalid                               2",
        "  segments                          1,200",
        "  same recipient as an earlier row      1",
        ""
      ].join("\n")
    )
    expect(existsSync(journal.replace("sqlite:", ""))).toBe(false)
    yield* command(["run", file, "--yes", "--journal", journal])
    expect((yield* alone(dry)).events.at(-1)).toMatchObject({ to_send: 0, sent: 1200 })
  }).pipe(onSandbox)
)

it.live("--template makes the texts from columns of the file", () =>
  Effect.gen(function* () {
    const list = `Phone;Name;city\n${numberOf(1)};Ana;Bonn\n${numberOf(2)};Zoë;Ulm\n${numberOf(3)};;Ulm\n`
    const { file, journal } = yield* fileOf(list)
    const columns = ["--recipient-column", "phone", "--ignore-columns"]
    const args = ["run", file, "--template", "Hello {name}", ...columns, "--journal", journal]
    const { code, stderr } = yield* asked(args, "y\n")
    expect(stderr).toContain("rows.csv, line 4, name: it is empty, and the template uses it\n")
    expect(code).toBe(3)
    expect((yield* texts).toSorted()).toEqual(["Hello Ana", "Hello Zoë"])
  }).pipe(onSandbox)
)

it.live("--to tries the first rows on one number, and leaves the real rows to be sent", () =>
  Effect.gen(function* () {
    const keyed = `recipient,message,key\n${[1, 2, 3, 4, 5].map((n) => `${numberOf(n)},Hello ${n},k${n}\n`).join("")}`
    const { file, journal } = yield* fileOf(keyed)
    const run = ["run", file, "--yes", "--journal", journal]
    const me = numberOf(99)
    const trial = yield* command([...run, "--to", me])
    expect(trial.events[0]).toMatchObject({ rows: 3, over_limit: 2 })
    expect(trial.events.at(-1)).toMatchObject({ campaign: "trial:rows", sent: 3 })
    const { messages } = yield* Sandbox
    expect((yield* messages()).map(({ recipient }) => recipient)).toEqual([me, me, me])
    const first = yield* command([...run, "--limit", "2"])
    expect(first.events.at(-1)).toMatchObject({ campaign: "rows", sent: 2 })
    expect((yield* command(run)).events.at(-1)).toMatchObject({ sent: 5 })
    expect(yield* messages()).toHaveLength(8)
  }).pipe(onSandbox)
)

it.live("--retry rejected sends what the service refused, corrected or not", () =>
  Effect.gen(function* () {
    const row = (recipient: string) =>
      `recipient,message,key\n${numberOf(1)},a,x\n${recipient},b,y\n`
    const { file, journal } = yield* fileOf(row("+15550000404"))
    const run = ["run", file, "--yes", "--journal", journal]
    expect(yield* command(run)).toMatchObject({ code: 3 })
    writeFileSync(file, row(numberOf(2)))
    expect((yield* command(run)).events.at(-1)).toMatchObject({ to_send: 0, rejected: 1 })
    const retried = yield* command([...run, "--retry", "rejected"])
    expect(retried).toMatchObject({ code: 0 })
    expect(retried.events.at(-1)).toMatchObject({ sent: 2, sent_now: 1 })
    expect(yield* texts).toEqual(expect.arrayContaining(["a", "b"]))
    expect((yield* command([...run, "--retry", "unknown"])).code).toBe(2)
  }).pipe(onSandbox)
)

describe("run ends with", () => {
  it.live("4 if the service stops it, with the reason and how to go on", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(100))
      const sandbox = yield* Sandbox
      const error = { status: 402, title: "Payment required", detail: "" }
      const body = JSON.stringify({ success: false, error })
      yield* sandbox.setFault({ fault: "Response", status: 402, body })
      const args = ["run", file, "--yes", "--journal", journal, "--concurrency", "1"]
      const { code, events, stderr } = yield* command(args)
      expect(code).toBe(4)
      expect(events.at(-1)).toEqual({
        ...ended,
        state: "stopped",
        not_sent: 100,
        stop: { reason: "PaymentRequired", failure: "PaymentRequired 402" }
      })
      expect(stderr).toBe(
        "Stopped. The service asks for payment before it sends: settle the account, then send again. The failure: PaymentRequired 402\n" +
          `To go on, run the same command again: npx messaging-topup-campaign ${args.join(" ")}\n`
      )
      yield* sandbox.clearFault
      expect((yield* command(args)).code).toBe(0)
      expect(new Set(yield* texts).size).toBe(100)
    }).pipe(onSandbox)
  )

  it.live("2 with all that is wrong, and creates no journal", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf("phone,sms\n1,a\n")
      const env = { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "t" }
      const args = ["run", file, "--yes", "--journal", journal]
      const problems = (...more: ReadonlyArray<string>) =>
        Effect.map(alone([...args, ...more], { env }), ({ code, stderr }) => {
          expect(code).toBe(2)
          return stderr.trimEnd().split("\n")
        })
      const all = [
        ["--concurrency", "0"],
        ["--quiet-hours", "21:00-08:00"],
        ["--country", "constructor"],
        ["--limit", "0"],
        ["--campaign", "sandbox:rows"],
        ["--retry", "all"]
      ].flat()
      expect((yield* problems(...all)).map((line) => line.slice(0, 20)).toSorted()).toEqual(
        [
          "--campaign: an id th",
          "--concurrency: it mu",
          "--country: give a co",
          "--limit: give a whol",
          "--quiet-hours needs ",
          "--retry: give reject",
          "rows.csv, line 1: th",
          "rows.csv, line 1: th",
          "rows.csv, line 1: un"
        ].toSorted()
      )
      writeFileSync(file, csvOf(1))
      expect(yield* problems("--quiet-hours", "21-8", "--time-zone", "Africa/Nairobi")).toEqual([
        expect.stringMatching(/^--quiet-hours: /)
      ])
      expect((yield* problems("--to", "2.34803E+12"))[0]).toMatch(/^--to: it is a number that a/)
      expect(yield* problems("--nonsense")).toEqual([
        "--nonsense: there is no such option. See messaging-topup-campaign run --help"
      ])
      expect((yield* alone(args)).stderr).toMatch(/^MESSAGING_TOPUP_BASE_URL is not set/)
      expect(existsSync(journal.replace("sqlite:", ""))).toBe(false)
      const address = yield* alone(["run", file, "--yes", "--journal", "postgres://u:secret@h/d"])
      expect(address.stderr).toBe(
        "--journal: give sqlite:FILE, or postgres with the address in MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("1 if the journal cannot be created", () =>
    Effect.gen(function* () {
      const { file } = yield* fileOf(csvOf(2))
      const nowhere = yield* command(["run", file, "--yes", "--journal", "sqlite:/dev/null/x"])
      expect(nowhere).toMatchObject({ code: 1 })
      expect(yield* texts).toEqual([])
    }).pipe(onSandbox)
  )
})

describe("--sandbox", () => {
  it.live("keeps its outcomes under a name of its own, which other commands find", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const run = ["run", file, "--yes", "--journal", journal]
      const { code, events, stderr } = yield* alone([...run, "--sandbox"])
      expect(code).toBe(0)
      expect(events[0]).toEqual({
        event: "Sandbox",
        base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
      })
      expect(events.at(-1)).toMatchObject({ campaign: "sandbox:rows", sent: 5 })
      expect(stderr).toMatch(/^Sandbox: nothing is really sent\. /)
      const of = ["--campaign", "sandbox:rows", "--journal", journal]
      expect((yield* alone(["report", ...of])).code).toBe(0)
      expect((yield* alone(["results", file, ...of])).stdout).toContain(",sent,")
      const statuses = yield* alone(["results", file, "--statuses", ...of])
      expect(statuses).toMatchObject({ code: 2 })
      expect(statuses.stderr).toMatch(/^--statuses: nothing of this campaign was really sent/)
      // The real campaign has sent nothing yet.
      expect((yield* command(run)).events.at(-1)).toMatchObject({ campaign: "rows", sent: 5 })
      expect(yield* texts).toHaveLength(5)
    }).pipe(onSandbox)
  )

  it.live("keeps the inbox open on a terminal until Ctrl-C", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const run = ["run", file, "--yes", "--sandbox", "--journal", journal]
      const { code, stderr, stdout } = yield* alone(run, {
        columns: 80,
        stop: (says) => says("open until Ctrl-C")
      })
      // The campaign had ended: its code counts, and no request was in flight.
      expect(code).toBe(0)
      expect(stderr).toMatch(/The inbox stays open until Ctrl-C: http:\/\/127\.0\.0\.1:\d+\n/)
      expect(stderr).toMatch(/The inbox is closed\n$/)
      expect(stderr).not.toContain("Stopping")
      expect(stdout).toMatch(/sent +5\n/)
    }).pipe(Effect.scoped)
  )
})

it.live("--help lists the exit codes, and --version prints the version", () =>
  Effect.gen(function* () {
    expect((yield* alone(["--help"])).stdout).toContain("Exit codes: 0 ")
    const { version } = JSON.parse(readFileSync("packages/campaign/package.json", "utf8"))
    expect(yield* alone(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
    expect((yield* alone(["result"])).stderr).toContain("did you mean results? See ")
    expect(yield* alone(["bogus"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: "There is no such command. See messaging-topup-campaign --help\n"
    })
  })
)
