import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../journal/support/Files.ts"
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
} from "./support/Command.ts"
import { none } from "./support/Rows.ts"

describe("run", () => {
  it.live("sends each row once, and prints the result", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(20))
      const { code, events, stderr } = yield* command(["run", file, "--yes", "--journal", journal])
      expect(code).toBe(0)
      expect(stderr).toBe("")
      expect(events[0]).toEqual({
        event: "Totals",
        rows: 20,
        invalid: 0,
        segments: 20,
        repeated: 0,
        repeated_recipients: 0,
        excluded: 0,
        over_limit: 0,
        same_key: 0,
        normalized: 0
      })
      expect(events.at(-1)).toEqual({
        event: "Ended",
        campaign: "rows",
        state: "running",
        counts: { ...none, sent: 20 },
        invalid: 0
      })
      expect(new Set(yield* texts).size).toBe(20)
    }).pipe(onSandbox)
  )

  it.live("sends nothing twice in a second run, and two equal rows are two SMS", () =>
    Effect.gen(function* () {
      const row = `${numberOf(0)},Hello\n`
      const { file, journal } = yield* fileOf(`recipient,message\n${row}${row}`)
      const run = command(["run", file, "--yes", "--allow-repeats", "--journal", journal])
      expect((yield* run).events[0]).toMatchObject({ event: "Totals", rows: 2, repeated: 1 })
      yield* run
      expect(yield* texts).toHaveLength(2)
      writeFileSync(file, `recipient,message\n${row}${numberOf(1)},Bye\n${row}`)
      yield* run
      expect(yield* texts).toHaveLength(3)
    }).pipe(onSandbox)
  )

  it.live("takes the key of a row from the file, and sends one SMS for it", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(
        "recipient,message,key\n10001,a,x\n10001,a,x\n10001,b,x\n10002,c,y\n"
      )
      const run = command(["run", file, "--yes", "--journal", journal])
      const { code, events } = yield* run
      expect(code).toBe(3)
      expect(events.slice(0, 2)).toMatchObject([
        { line: 4, field: "key", problem: "an earlier row has this key with other content" },
        { event: "Totals", rows: 3, same_key: 1, segments: 2 }
      ])
      expect((yield* texts).toSorted()).toEqual(["a", "c"])
    }).pipe(onSandbox)
  )

  it.live(
    "does not send a row whose key the journal has with another text, but sends the others",
    () =>
      Effect.gen(function* () {
        const { file, journal } = yield* fileOf("recipient,message,key\n10001,a,x\n10002,b,y\n")
        const run = command(["run", file, "--yes", "--journal", journal])
        yield* run
        writeFileSync(
          file,
          "recipient,message,key\n10003,c,z\n10001,other,x\n10002,more,y\n10004,d,w\n"
        )
        const { code, events } = yield* run
        expect(code).toBe(3)
        const problem =
          "the journal has the same key with another value: give another key, or another --campaign"
        expect(events.slice(0, 3)).toMatchObject([
          { event: "InvalidRow", line: 3, field: "message", problem },
          { event: "InvalidRow", line: 4, field: "message", problem },
          { event: "Totals", rows: 2, invalid: 2 }
        ])
        expect((yield* texts).toSorted()).toEqual(["a", "b", "c", "d"])
      }).pipe(onSandbox)
  )

  it.live("sends nothing if another file has the same keys", () =>
    Effect.gen(function* () {
      const rows = (text: string) =>
        `recipient,message,key\n${Array.from({ length: 101 }, (_, i) => `${10001 + i},${text},${i}\n`).join("")}`
      const { file, journal } = yield* fileOf(rows("a"))
      const run = command(["run", file, "--yes", "--journal", journal])
      yield* run
      writeFileSync(file, rows("b"))
      const { code, stderr } = yield* run
      expect(code).toBe(1)
      expect(stderr.trimEnd().split("\n").at(-1)).toBe(
        'rows.csv: campaign "rows" has the keys of more than 100 rows with other values, and nothing was sent: give another --campaign'
      )
      expect(yield* texts).toHaveLength(101)
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

  it.live("fails without a terminal for the question, before it reads or stores anything", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const refused = yield* command(["run", file, "--journal", journal])
      expect(refused).toMatchObject({
        code: 2,
        stdout: "",
        stderr:
          "There is no terminal for the question, and nothing was sent: give --yes to skip the question\n"
      })
      expect(existsSync(journal.replace("sqlite:", ""))).toBe(false)
      const stdin = yield* command(["run", "-", "--format", "csv", "--campaign", "c"], {
        columns: 80
      })
      expect(stdin.stderr).toMatch(/^The rows come from stdin, so nobody can answer a question/)
    }).pipe(onSandbox)
  )

  it.live("on a terminal shows the totals, asks, and ends with an aligned table", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(12))
      const args = ["run", file, "--journal", journal]
      const no = yield* command(args, { columns: 80, stdin: ["n\n"] })
      expect(no.code).toBe(1)
      expect(withoutCounters(no.stderr)).toBe(
        'The first texts:\n  "Hello 0"\n  "Hello 1"\n  "Hello 2"\nSend 12 SMS? [y/N] Nothing was sent\n'
      )
      expect(yield* texts).toEqual([])
      const yes = yield* command(args, { columns: 80, stdin: ["yes\n"] })
      expect(yes.code).toBe(0)
      expect(yes.stdout).toContain(
        [
          "rows: finished",
          "  sent       12",
          "  rejected    0",
          "  unknown     0",
          "  pending     0",
          "  in flight   0",
          "  invalid     0",
          `Report: npx messaging-topup-campaign report --campaign rows --journal ${journal} --out report.html`,
          ""
        ].join("\n")
      )
      expect(yield* texts).toHaveLength(12)
      const again = yield* command(args, { columns: 80, stdin: ["n\n"] })
      expect(withoutCounters(again.stderr)).toBe(
        "Nothing will be sent: the journal has every row of the file already\n"
      )
    }).pipe(onSandbox)
  )

  it.live("sends nothing of a file that was changed after it was shown", () =>
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
      expect(stderr).toContain(
        "rows.csv: the file changed after it was shown, and nothing was sent"
      )
      expect(yield* texts).toEqual([])
    }).pipe(onSandbox)
  )

  it.live("prints no numbers, no texts and no token", () =>
    Effect.gen(function* () {
      const content =
        "recipient,message\n+15550000400,secret text\n+15550000500,secret text\n,secret text\n"
      const { file, journal } = yield* fileOf(content)
      const printed = [
        yield* command(["preview", file]),
        yield* command(["run", file, "--yes", "--journal", journal]),
        yield* command(["failures", "--campaign", "rows", "--journal", journal])
      ].flatMap(({ stderr, stdout }) => [stderr, stdout])
      expect(printed.join("")).not.toMatch(/\+1555|secret|sandbox-/)
      expect(printed.join("")).toContain("InvalidRequest 400")
    }).pipe(onSandbox)
  )
})

describe("run ends with", () => {
  it.live("3 if rows were rejected or are unknown; failures lists them", () =>
    Effect.gen(function* () {
      const content = [
        "recipient,message,sender_id",
        "+15550000400,=HYPERLINK(1),",
        '+15550000500,"a ""b"", c",@me',
        "+15550001111,good,"
      ].join("\n")
      const { file, journal } = yield* fileOf(content)
      const { code, events } = yield* command(["run", file, "--yes", "--journal", journal])
      expect(code).toBe(3)
      expect(events.at(-1)).toMatchObject({
        counts: { ...none, sent: 1, rejected: 1, unknown: 1 }
      })
      const args = ["failures", "--campaign", "rows", "--journal", journal]
      const failures = yield* alone(args)
      expect(failures.code).toBe(3)
      expect(failures.events).toMatchObject([
        { event: "Failure", outcome: "rejected", reason: "InvalidRequest 400" },
        { event: "Failure", outcome: "unknown", reason: "InternalServerError 500" }
      ])
      const [rejected, unknown] = failures.events.map(({ key }) => String(key))
      expect((yield* alone([...args, "--csv"])).stdout).toBe(
        [
          "recipient,message,sender_id,webhook_url,scheduled_time,key,line,outcome,reason",
          `+15550000400,'=HYPERLINK(1),,,,${rejected},2,rejected,InvalidRequest 400`,
          `+15550000500,"a ""b"", c",'@me,,,${unknown},3,unknown,InternalServerError 500`,
          ""
        ].join("\n")
      )
    }).pipe(onSandbox)
  )

  it.live("4 if the service stops it, with the reason and the line that resumes it", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(100))
      const sandbox = yield* Sandbox
      const error = { status: 402, title: "Payment required", detail: "" }
      const body = JSON.stringify({ success: false, error })
      yield* sandbox.setFault({ fault: "Response", status: 402, body })
      const { code, events, stderr } = yield* command([
        "run",
        file,
        "--yes",
        "--journal",
        journal,
        "--concurrency",
        "1",
        "--quiet-hours",
        "03:00-03:01",
        "--time-zone",
        "Africa/Nairobi"
      ])
      expect(code).toBe(4)
      expect(events).toContainEqual({ event: "Stopped", reason: "PaymentRequired" })
      expect(events.at(-1)).toMatchObject({ state: "paused", counts: { pending: 100 } })
      expect(stderr).toBe(
        "Paused. The service asks for payment before it sends: settle the account, then send again\n" +
          `Resume: npx messaging-topup-campaign resume --campaign rows --journal ${journal} --concurrency 1 --quiet-hours 03:00-03:01 --time-zone Africa/Nairobi\n`
      )
      yield* sandbox.clearFault
      const resumed = yield* command(["resume", "--campaign", "rows", "--journal", journal])
      expect(resumed.code).toBe(0)
      expect(new Set(yield* texts).size).toBe(100)
    }).pipe(onSandbox)
  )

  it.live("2 if a setting is wrong, and stores nothing", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(1))
      const args = ["run", file, "--yes", "--journal", journal]
      const env = { MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9", MESSAGING_TOPUP_TOKEN: "t" }
      const ended = (...more: ReadonlyArray<string>) =>
        Effect.map(alone([...args, ...more], { env }), ({ code, stderr }) => `${code} ${stderr}`)
      expect((yield* alone(args)).stderr).toMatch(/^MESSAGING_TOPUP_BASE_URL is not set/)
      expect(yield* ended("--concurrency", "0")).toBe(
        "2 --concurrency: it must be a whole number from 1 to 1000\n"
      )
      expect(yield* ended("--max-failures", "0")).toMatch(/^2 --max-failures: /)
      expect(yield* ended("--messages-per-second", "0")).toMatch(/^2 --messages-per-second: /)
      expect(yield* ended("--quiet-hours", "21:00-08:00")).toMatch(
        /^2 --quiet-hours needs the zone of the recipients/
      )
      expect(yield* ended("--quiet-hours", "21-8", "--time-zone", "Africa/Nairobi")).toMatch(
        /^2 --quiet-hours: /
      )
      expect(yield* ended("--quiet-hours", "21:00-08:00", "--time-zone", "Nairobi")).toMatch(
        /^2 --time-zone: /
      )
      const journalIs = (text: string) =>
        Effect.map(
          alone(["run", file, "--yes", "--journal", text], { env }),
          ({ code, stderr }) => `${code} ${stderr}`
        )
      expect(yield* journalIs("postgres://u:secret@h/d")).toBe(
        "2 --journal: give sqlite:FILE, or postgres with the address in MESSAGING_TOPUP_CAMPAIGN_POSTGRES_URL\n"
      )
      expect(yield* journalIs("postgres")).toMatch(/^2 --journal postgres: /)
      expect(yield* ended("--country", "constructor")).toMatch(/^2 --country: /)
      expect(yield* ended("--campaign", "sandbox:rows")).toMatch(/^2 --campaign: /)
      expect(yield* ended("--nonsense")).toBe(
        "2 --nonsense: there is no such option. See messaging-topup-campaign run --help\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("1 if the campaign is cancelled, or the journal cannot be created", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const run = command(["run", file, "--yes", "--journal", journal])
      yield* run
      yield* alone(["cancel", "--campaign", "rows", "--yes", "--journal", journal])
      expect(yield* run).toMatchObject({
        code: 1,
        stderr: 'Campaign "rows" is cancelled, and nothing was sent: give another --campaign\n'
      })
      const nowhere = `${journal}/none/x`
      expect(yield* command(["run", file, "--yes", "--journal", nowhere])).toMatchObject({
        code: 1
      })
      expect(yield* texts).toHaveLength(2)
    }).pipe(onSandbox)
  )
})

describe("--sandbox", () => {
  it.live("keeps its journal, so that other commands find the campaign by the id it printed", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const options = ["--journal", journal]
      const { code, events, stderr } = yield* alone(["run", file, "--yes", "--sandbox", ...options])
      expect(code).toBe(0)
      expect(events[0]).toEqual({
        event: "Sandbox",
        base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)
      })
      expect(events.at(-1)).toMatchObject({ campaign: "sandbox:rows", counts: { sent: 5 } })
      expect(stderr).toMatch(/^Sandbox: nothing is really sent\. /m)
      expect(stderr).toContain(`Campaign sandbox:rows, in the journal ${journal.slice(7)}\n`)
      for (const name of ["status", "resume", "report", "failures"]) {
        const ended = yield* alone([name, "--campaign", "sandbox:rows", ...options])
        expect(`${name} ${ended.code}`).toBe(`${name} 0`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("keeps it in the working folder, without --journal", () =>
    Effect.gen(function* () {
      const { file } = yield* fileOf(csvOf(5))
      const path = yield* folder
      const run = yield* start(["run", file, "--yes", "--sandbox"], {}, [], path)
      expect(yield* run.ended).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("in the journal ./messaging-topup-campaign.sqlite\n")
      })
      expect(existsSync(join(path, "messaging-topup-campaign.sqlite"))).toBe(true)
      expect(yield* texts).toEqual([])
    }).pipe(onSandbox)
  )

  it.live("is refused with --queue: workers would really send its rows", () =>
    Effect.gen(function* () {
      const { file } = yield* fileOf(csvOf(5))
      const queue = ["--queue", "--journal", "postgres"]
      const ended = [
        yield* alone(["run", file, "--yes", "--sandbox", ...queue]),
        yield* alone(["resume", "--campaign", "sandbox:rows", ...queue])
      ]
      for (const { code, stderr } of ended) expect(`${code} ${stderr}`).toMatch(/^2 --queue: /)
    }).pipe(Effect.scoped)
  )

  it.live("says which rows met a forced outcome", () =>
    Effect.gen(function* () {
      const forced = "+15550000400,a\n+15550010400,b\n+15550000404,c\n"
      const { file, journal } = yield* fileOf(`${csvOf(5)}${forced}+2348030000400,d\n`)
      const run = ["run", file, "--yes", "--sandbox", "--journal", journal]
      const { events, stderr } = yield* alone(run)
      expect(events.at(-2)).toEqual({ event: "Forced", rows: 3, endings: ["0400", "0404"] })
      expect(stderr).toContain(
        "3 rows met a forced outcome of the sandbox: numbers +1555… that end in 0400, 0404. It accepts all other numbers\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("says why it is paused if a forced outcome did that", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf("recipient,message\n+15550000403,a\n")
      const run = ["run", file, "--yes", "--sandbox", "--journal", journal]
      const { code, stderr } = yield* alone(run)
      expect(code).toBe(4)
      expect(stderr).toMatch(
        /Paused\. The access token .*\n1 row met a forced outcome of the sandbox: numbers \+1555… that end in 0403\..*\nResume: npx messaging-topup-campaign resume --campaign sandbox:rows --journal \S+\n$/
      )
    }).pipe(Effect.scoped)
  )

  it.live("keeps the inbox open on a terminal until Ctrl-C", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const run = ["run", file, "--yes", "--sandbox", "--journal", journal]
      const ended = yield* alone(run, {
        columns: 80,
        stop: (says) => says("open until Ctrl-C")
      })
      // The campaign had ended: its code counts, and no request was in flight.
      expect(ended.code).toBe(0)
      expect(ended.stderr).toMatch(/The inbox stays open until Ctrl-C: http:\/\/127\.0\.0\.1:\d+\n/)
      expect(ended.stderr).toMatch(/The inbox is closed\n$/)
      expect(ended.stderr).not.toContain("Stopping")
      expect(ended.stdout).toMatch(/sent +5\n/)
    }).pipe(Effect.scoped)
  )

  it.live("never counts a row of a real campaign as sent", () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(5))
      const run = ["run", file, "--yes", "--journal", journal]
      yield* alone([...run, "--sandbox"])
      expect(yield* texts).toEqual([])
      const { code } = yield* command(run)
      expect(code).toBe(0)
      expect(yield* texts).toHaveLength(5)
    }).pipe(onSandbox)
  )
})

it.live("preview shows the totals of a file on a terminal, in an aligned table", () =>
  Effect.gen(function* () {
    const { file } = yield* fileOf(`${csvOf(1200)}${numberOf(0)},Hello 0\n,\n,x\n`)
    const { code, stderr, stdout } = yield* alone(["preview", file], { columns: 80 })
    expect(code).toBe(3)
    expect(withoutCounters(stderr)).toBe(
      "rows.csv, line 1202, recipient: an earlier row has this recipient: remove one, or give --allow-repeats to send both\nrows.csv, line 1204, recipient: it is empty\n"
    )
    expect(stdout).toBe(
      [
        "rows.csv: 1,202 rows",
        "  can be sent                       1,200",
        "  invalid                               2",
        "  segments                          1,200",
        "  same recipient as an earlier row      1",
        ""
      ].join("\n")
    )
  }).pipe(Effect.scoped)
)

describe("the other commands", () => {
  const loaded = Effect.gen(function* () {
    const files = yield* fileOf(csvOf(10))
    const sandbox = yield* Sandbox
    yield* sandbox.setFault({ fault: "Response", status: 500, body: "" })
    yield* command([
      "run",
      files.file,
      "--yes",
      "--max-failures",
      "3",
      "--concurrency",
      "1",
      "--journal",
      files.journal
    ])
    yield* sandbox.clearFault
    const args = ["--campaign", "rows", "--journal", files.journal]
    return {
      ...files,
      args,
      of: (name: string, ...more: ReadonlyArray<string>) => alone([name, ...args, ...more])
    }
  })

  it.live("status shows the counts, and ends with the exit code of run", () =>
    Effect.gen(function* () {
      const { args, of } = yield* loaded
      const status = yield* of("status")
      expect(status.code).toBe(4)
      expect(status.events).toEqual([
        {
          event: "Status",
          campaign: "rows",
          state: "paused",
          counts: { ...none, unknown: 3, pending: 7 }
        }
      ])
      expect((yield* alone(["status", ...args], { columns: 80 })).stdout).toBe(
        "rows: paused\n  sent       0\n  rejected   0\n  unknown    3\n  pending    7\n  in flight  0\n"
      )
    }).pipe(onSandbox)
  )

  it.live("resolve-unknown decides on some rows or all, and resume sends the pending rows", () =>
    Effect.gen(function* () {
      const { args, of } = yield* loaded
      const [first] = (yield* of("failures")).events.map(({ key }) => String(key))
      const one = yield* of("resolve-unknown", "--as", "sent", "--key", first ?? "")
      expect(one.events).toEqual([{ event: "Resolved", as: "sent", rows: 1, refused: 0 }])
      const again = yield* of("resolve-unknown", "--as", "sent", "--key", first ?? "")
      expect(again).toMatchObject({
        code: 1,
        stderr: "1 key without a row of unknown outcome: nothing changed there\n"
      })
      const all = yield* of("resolve-unknown", "--as", "resend", "--yes")
      expect(all.events).toEqual([{ event: "Resolved", as: "resend", rows: 2, refused: 0 }])
      const resumed = yield* command(["resume", ...args])
      expect(resumed.code).toBe(0)
      expect(resumed.events.at(-1)).toMatchObject({ counts: { ...none, sent: 10 } })
      expect(new Set(yield* texts).size).toBe(9)
    }).pipe(onSandbox)
  )

  it.live("reconcile reads only statuses that are not final yet", () =>
    Effect.gen(function* () {
      const { args } = yield* loaded
      yield* command(["resume", ...args])
      const read = (final: string) =>
        Effect.map(command(["reconcile", ...args, "--final", final]), ({ code, events }) => ({
          code,
          found: events[0]
        }))
      expect(yield* read("other")).toMatchObject({ code: 0, found: { read: 7, final: 0 } })
      expect(yield* read("SANDBOX_DELIVERED")).toMatchObject({
        code: 0,
        found: { read: 7, final: 7 }
      })
      expect(yield* read("SANDBOX_DELIVERED")).toEqual({
        code: 0,
        found: { event: "Reconciled", read: 0, final: 0, failed: 0 }
      })
    }).pipe(onSandbox)
  )

  it.live("cancel asks, and fails without a terminal", () =>
    Effect.gen(function* () {
      const { args, of } = yield* loaded
      expect(yield* of("cancel")).toMatchObject({ code: 2 })
      const no = yield* alone(["cancel", ...args], { columns: 80, stdin: ["\n"] })
      expect(no).toMatchObject({ code: 1 })
      expect((yield* of("status")).events).toMatchObject([{ state: "paused" }])
      const yes = yield* alone(["cancel", ...args], { columns: 80, stdin: ["y\n"] })
      expect(yes).toMatchObject({ code: 0 })
      expect((yield* of("status")).events).toMatchObject([
        { state: "cancelled", counts: { rejected: 7, unknown: 3 } }
      ])
      expect(yield* of("pause")).toMatchObject({
        code: 1,
        stderr: "The campaign is cancelled, and cannot be paused\n"
      })
    }).pipe(onSandbox)
  )

  it.live("fail if the journal does not exist, and create none", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const journal = `sqlite:${path}/none.sqlite`
      for (const name of ["status", "pause", "failures"]) {
        expect(yield* alone([name, "--campaign", "x", "--journal", journal])).toMatchObject({
          code: 1,
          stderr: `The journal ${path}/none.sqlite does not exist: check --journal\n`
        })
      }
      expect(existsSync(`${path}/none.sqlite`)).toBe(false)
    }).pipe(Effect.scoped)
  )

  it.live("--help lists the exit codes, and --version prints the version", () =>
    Effect.gen(function* () {
      expect((yield* alone(["--help"])).stdout).toContain("Exit codes: 0 ")
      const { version } = JSON.parse(readFileSync("packages/campaign/package.json", "utf8"))
      expect(yield* alone(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
      expect((yield* alone(["statu"])).stderr).toContain("did you mean status? See ")
      expect(yield* alone(["bogus"])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: "There is no such command. See messaging-topup-campaign --help\n"
      })
    })
  )
})
