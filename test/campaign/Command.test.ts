/**
 * What the transcripts of the command cannot show: other processes, files on the disk, a clock.
 */
import { expect, it } from "@effect/vitest"
import * as Sqlite from "@messaging-topup/journal/sqlite"
import { Sandbox } from "@messaging-topup/sandbox"
import { flagOf } from "@messaging-topup/command"
import { command as runFile } from "messaging-topup/src/commands/Run.ts"
import { resultColumns } from "messaging-topup/src/words/ResultWords.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Readable } from "node:stream"
import { inTestTime } from "../harness/campaign/Rows.ts"
import {
  alone,
  command,
  csvOf,
  fileOf,
  numberOf,
  onSandbox,
  operate,
  texts
} from "../harness/Command.ts"
import { sandboxSettings } from "../harness/sandbox/Client.ts"
import { folder } from "../harness/TemporaryFolder.ts"

/**
 * Reads texts, tables and numbers from the source of a page.
 */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'"
}

/** Returns the text that a person reads, with single spaces. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll(/&([#\w]+);/g, (entity, name) => entities[name] ?? entity)

const between = (html: string, begin: RegExp, end: string): string | undefined => {
  const found = begin.exec(html)
  if (found === null) return undefined
  const from = found.index + found[0].length
  return html.slice(from, html.indexOf(end, from))
}

/** Returns the cells of a table without its head; undefined if the page does not have the table. */
const tableOf = (html: string, name: string): ReadonlyArray<ReadonlyArray<string>> | undefined =>
  between(html, new RegExp(`<table[^>]*data-table="${name}"[^>]*>`), "</table>")
    ?.split("<tbody>")[1]
    ?.split("<tr>")
    .slice(1)
    .map((row) =>
      row
        .split(/<t[hd]\b[^>]*>/)
        .slice(1)
        .map(textOf)
    )

/** Returns a count of the page: of a state, `total` or `impossible`. */
const countOf = (html: string, name: string): number =>
  Number(
    textOf(between(html, new RegExp(`data-count="${name}"[^>]*>`), "</") ?? "").replaceAll(",", "")
  )

it.live("prints no numbers, no texts and no token, and stores none", () =>
  Effect.gen(function* () {
    const content = [
      "recipient,message,key",
      "+15550000400,secret text,k1",
      "+15550000500,secret text,+15550000500",
      ",secret text,k2",
      "+15550001237,secret text,15550001237"
    ].join("\n")
    const { file, journal } = yield* fileOf(content)
    const withoutKeys = `${file}.csv`
    writeFileSync(withoutKeys, "recipient,message\n+15550001247,secret text")
    const reading = ["--template", "secret {message}", "--journal", journal]
    const printed = [
      yield* command(["run", file, "--dry-run", ...reading]),
      yield* command(["run", file, "--yes", ...reading]),
      yield* command(["run", withoutKeys, "--yes", ...reading]),
      yield* command(["report", file, ...reading])
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
    const again = yield* command(["run", file, "--yes", ...reading])
    expect(again.events.at(-1)).toMatchObject({ sent_now: 0, sent: 1, rejected: 1, unknown: 1 })
  }).pipe(onSandbox)
)

it.live("--sandbox keeps the inbox open on a terminal until Ctrl+C", () =>
  Effect.gen(function* () {
    const { file } = yield* fileOf(csvOf(5))
    const run = ["run", file, "--yes", "--sandbox"]
    const { code, stderr, stdout } = yield* alone(run, {
      columns: 80,
      stop: (says) => says("open until Ctrl+C")
    })
    // The campaign had ended: its code counts, and no request was in flight.
    expect(code).toBe(0)
    expect(stderr).toMatch(/The inbox stays open until Ctrl\+C: http:\/\/127\.0\.0\.1:\d+\n/)
    expect(stderr).toMatch(/The inbox is closed\n$/)
    expect(stderr).not.toContain("Stopping")
    expect(stdout).toMatch(/sent +5\n/)
  }).pipe(Effect.scoped)
)

it.live("Ctrl+C at the question says that nothing was sent", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const { code, stderr } = yield* command(["run", file, "--journal", journal], {
      columns: 80,
      stdin: new Readable({ read: () => {} }),
      stop: (says) => says("[y/N]")
    })
    expect(code).toBe(130)
    expect(stderr).toMatch(/Nothing was sent\n$/)
    expect(stderr).not.toContain("Stopping")
    expect(yield* texts).toEqual([])
  }).pipe(onSandbox)
)

it.live("the help of run has each option once, in groups", () =>
  Effect.gen(function* () {
    const { stdout } = yield* alone(["run", "--help"])
    const groups = stdout.split(/^(?=[A-Z].*:$)/m).slice(1)
    const shown = groups.map((group) => group.match(/^ {2}--[\w-]+/gm) ?? [])
    expect(shown.length).toBeGreaterThan(3)
    const names = Object.keys(runFile.options).filter((name) => name !== "file")
    expect(shown.flat()).toHaveLength(names.length)
    expect(new Set(shown.flat())).toEqual(new Set(names.map((name) => `  ${flagOf(name)}`)))
  })
)

it.live("the help of results names each column that it adds", () =>
  Effect.gen(function* () {
    const { stdout } = yield* alone(["results", "--help"])
    const [, columns = ""] = /delimiter, then ([^.]*)\. /.exec(stdout.replaceAll(/\s+/g, " ")) ?? []
    expect(columns.match(/\b[a-z]+(?:_[a-z]+)*\b/g)).toEqual(
      expect.arrayContaining(Object.keys(resultColumns))
    )
  })
)

it.live("--help lists exit codes and variables, and --version prints the version", () =>
  Effect.gen(function* () {
    const helpOf = (...words: ReadonlyArray<string>) =>
      Effect.map(alone([...words, "--help"]), ({ stdout }) => stdout)
    expect(yield* helpOf()).toContain("Exit codes: 0 ")
    for (const variable of ["BASE_URL", "TOKEN", "TIMEOUT"]) {
      expect(yield* helpOf()).toContain(`MESSAGING_TOPUP_${variable}`)
    }
    expect(yield* helpOf("run")).toContain(
      "; 3 rows were not sent, or it is unknown whether they were; 4"
    )
    expect(yield* helpOf("results")).toContain(
      "; 3 with --statuses, a status could not be read; 129"
    )
    const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"))
    expect(yield* alone(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })
)

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

it.live("a signal at the question of prune ends it, and nothing is waited for or deleted", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* sent
    const prune = ["prune", file, "--unknown", "--journal", journal]
    const never = new Readable({ read: () => {} })
    const { code, stderr } = yield* command(prune, {
      columns: 80,
      stdin: never,
      stop: (says) => says("[y/N]")
    })
    expect(code).toBe(130)
    expect(stderr).toMatch(/\[y\/N\] Stopping\n$/)
    expect((yield* alone([...prune, "--yes"])).code).toBe(0)
  }).pipe(onSandbox)
)

it.live(
  "the question of prune says what sends again, and with --unknown that it may have gone out",
  () =>
    Effect.gen(function* () {
      const { journal } = yield* sent
      const prune = ["prune", "--older-than", "1 day", "--journal", journal]
      const asked = (...more: ReadonlyArray<string>) =>
        Effect.map(
          command([...prune, ...more], { columns: 80, stdin: ["n\n"] }),
          ({ stderr }) => stderr
        )
      const question = "Delete old sends? A program that uses a deleted key again sends again"
      expect(yield* asked()).toContain(`${question}. [y/N]`)
      expect(yield* asked("--unknown")).toContain(`${question}, also what may have gone out. [y/N]`)
    }).pipe(onSandbox)
)

it.live("results goes to a file that only this user may read, or to a redirected stdout", () =>
  Effect.gen(function* () {
    const { file, reading } = yield* sent
    const out = join(dirname(file), "results.csv")
    writeFileSync(out, "recipient,line,outcome,message_id,reason\n", { mode: 0o644 })
    const args = ["results", file, ...reading]
    const written = yield* alone([...args, "--out", out], { columns: 80 })
    expect(written.stderr).toContain("  unknown   2\n")
    expect(statSync(out).mode & 0o777).toBe(0o600)
    expect(readFileSync(out, "utf8")).toBe((yield* alone(args)).stdout)
    expect(yield* alone(args, { columns: 80 })).toMatchObject({ code: 2, stdout: "" })
  }).pipe(onSandbox)
)

it.live("the report has the sums of the journal, and with the file what could not be sent", () =>
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
      ['the service responded "Internal server error" (InternalServerError 500)', "unknown", "2"],
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

it.live("the report counts nobody twice, and says what is no longer in the file", () =>
  Effect.gen(function* () {
    const list = (message: string) =>
      `recipient,message\n${numberOf(1)},a\n${numberOf(2)},${message}\n12,c\n`
    const { file, journal } = yield* fileOf(list("b"))
    const stop = join(dirname(file), "stop.txt")
    writeFileSync(stop, `${numberOf(1)}\n`)
    const run = ["run", file, "--yes", "--allow-repeats", "--journal", journal]
    const counted = Effect.map(
      alone(["report", file, "--exclude", stop, "--journal", journal]),
      ({ stdout }) =>
        ["sent", "total", "impossible", "excluded", "gone"].map((name) => countOf(stdout, name))
    )
    yield* command(run)
    expect(yield* counted).toEqual([2, 2, 1, 0, 0])
    writeFileSync(file, list("corrected"))
    expect(yield* counted).toEqual([2, 3, 1, 0, 1])
    // The word of the results, which do not say "not sent" of who got another SMS.
    const { stdout } = yield* alone(["report", file, "--exclude", stop, "--journal", journal])
    expect(countOf(stdout, "repeated")).toBe(1)
    expect(stdout).not.toContain('data-count="waiting"')
    // The next run with the option sends it, as a program does: only its turn has not come.
    const repeats = ["--exclude", stop, "--journal", journal, "--allow-repeats"]
    const allowed = yield* alone(["report", file, ...repeats])
    expect(countOf(allowed.stdout, "waiting")).toBe(1)
    expect(allowed.stdout).not.toContain('data-count="repeated"')
    const results = yield* alone(["results", file, ...repeats])
    expect(results.stdout).toContain(`${numberOf(2)},corrected,3,not sent,,\n`)
    yield* command(run)
    expect(yield* counted).toEqual([3, 3, 1, 0, 1])
    writeFileSync(file, `${list("corrected")}${numberOf(3)},d\n`)
    writeFileSync(stop, `${numberOf(1)}\n${numberOf(3)}\n`)
    expect(yield* counted).toEqual([3, 3, 1, 1, 1])
    const without = yield* alone(["report", "--campaign", "rows", "--journal", journal])
    expect(countOf(without.stdout, "sent")).toBe(3)
    expect(without.stdout).toContain("Messages of rows that were changed or removed count, too.")
  }).pipe(onSandbox)
)

it.live("the report shows commands that do what the page says", () =>
  Effect.gen(function* () {
    const { journal } = yield* sent
    const { stdout } = yield* alone(["report", "--campaign", "rows", "--journal", journal])
    const lines = [...stdout.matchAll(/<code>npx messaging-topup ([^<]+)<\/code>/g)]
    expect(lines).toHaveLength(3)
    const codes = yield* Effect.forEach(lines, ([, line = ""]) =>
      Effect.map(alone([...line.split(" "), "--yes"]), ({ code }) => code)
    )
    // The first one decided about all.
    expect(codes).toEqual([0, 1, 1])
    // Without a column key, no result shows a key.
    expect(stdout).toContain("sends --unknown --to NUMBER")
    const decided = yield* alone(["report", "--campaign", "rows", "--journal", journal])
    expect(decided.stdout).toMatch(
      /data-count="sent".*\n.*accepted by the service, or a person decided so/
    )
  }).pipe(onSandbox)
)

it.live("the report has no plot for a campaign without outcomes", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf("recipient,message\n+15550000403,a\n")
    yield* command(["run", file, "--yes", "--journal", journal])
    const { stdout } = yield* alone(["report", file, "--journal", journal])
    expect(countOf(stdout, "waiting")).toBe(1)
    expect(stdout).not.toContain('class="plot"')
  }).pipe(onSandbox)
)

it.live("results and report do not wait for a process that writes", () =>
  Effect.gen(function* () {
    const { file, journal, reading } = yield* sent
    const other = new DatabaseSync(journal)
    other.exec("begin immediate")
    for (const name of ["results", "report"]) {
      const { code, stderr } = yield* alone([name, file, ...reading])
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: "" })
    }
    other.exec("rollback")
    other.close()
  }).pipe(onSandbox)
)

it.live(
  "only init creates a journal without a question, once, and a lost one stops whoever asks nobody",
  () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { file } = yield* fileOf(csvOf(3))
      const journal = join(path, "lost", "journal.sqlite")
      const at = ["--journal", journal]
      const run = ["run", file, "--yes", ...at]
      const needing = [
        run,
        ["results", file, ...at],
        ["report", file, ...at],
        ["sends", ...at],
        ["resolve", file, "--sent", ...at],
        ["prune", file, "--yes", ...at]
      ]
      for (const words of needing) {
        const { code, stderr } = yield* command(words)
        expect(code).toBe(1)
        expect(stderr).toBe(
          `The journal ${journal} is not available: there is none yet, and without it everything would be sent again: check where it should be; if nothing was sent before, messaging-topup init creates it, once\n`
        )
      }
      const forgetful = yield* command(["run", file, "--yes", "--journal", "memory"])
      expect(forgetful.stderr).toContain("The journal memory is not available: there is none yet")
      expect((yield* command([...run, "--dry-run"])).code).toBe(0)
      expect((yield* command(["run", file, "--yes", "--sandbox"])).code).toBe(0)
      expect((yield* alone(["init", ...at])).code).toBe(2)
      const typed = { columns: 80, stdin: ["n\n"] }
      expect((yield* alone(["init", ...at], typed)).stderr).toContain("Nothing was created")
      expect(existsSync(journal)).toBe(false)
      expect(yield* texts).toEqual([])
      const init = ["init", "--yes", ...at]
      expect(yield* alone(init)).toMatchObject({ code: 0, events: [{ event: "Created", journal }] })
      expect((yield* command(run)).events.at(-1)).toMatchObject({ sent: 3 })
      const kept = readFileSync(journal)
      for (const again of [yield* alone(init), yield* alone(["init", ...at], typed)]) {
        expect(again).toMatchObject({ code: 1, stdout: "" })
        expect(again.stderr).toBe(`${journal}: there is a journal already, and it stays as it is\n`)
      }
      const accepts = yield* alone([...init, "--accept-failover"])
      expect(accepts).toMatchObject({ code: 1, stdout: "" })
      expect(accepts.stderr).toContain("no other server took over")
      const [{ mtimeMs }] = [statSync(journal)]
      expect(mtimeMs).toBeGreaterThan(0)
      expect((yield* alone(["init", "--yes", "--journal", "memory"])).code).toBe(2)
      expect(kept.length).toBeGreaterThan(0)
      expect((yield* command(run)).events.at(-1)).toMatchObject({ sent: 3, sent_now: 0 })
    }).pipe(onSandbox)
)

it.live("without a person, no list begins in a journal that a program created", () =>
  Effect.gen(function* () {
    const { file } = yield* fileOf(csvOf(2))
    const made = Effect.fnUntraced(function* (name: string) {
      const journal = join(dirname(file), name)
      yield* Effect.scoped(Layer.build(Sqlite.layer(journal)))
      return { journal, at: ["--journal", journal] }
    })
    const { at, journal } = yield* made("program.sqlite")
    const run = ["run", file, "--yes", ...at]
    const refused = yield* command(run)
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toContain(
      `${journal}: a program or the MCP server created this journal, no list was run on it`
    )
    expect((yield* command([...run, "--dry-run"])).code).toBe(0)
    expect(yield* texts).toEqual([])
    const init = ["init", "--yes", ...at]
    const no = { columns: 80, stdin: ["n\n"] }
    expect((yield* alone(["init", ...at], no)).stderr).toContain("Nothing was changed")
    expect((yield* command(run)).code).toBe(1)
    expect(yield* alone(init)).toMatchObject({ code: 0, events: [{ event: "Begun", journal }] })
    expect((yield* alone(init)).stderr).toContain("there is a journal already")
    expect((yield* command(run)).events.at(-1)).toMatchObject({ sent_now: 2 })
    const other = yield* made("person.sqlite")
    const person = yield* command(["run", file, ...other.at], { columns: 200, stdin: ["y\n"] })
    expect(person.code).toBe(0)
    expect(person.stdout).toContain(`the journal ${other.journal}, on which no list was run yet`)
    expect(person.stderr).toContain(`No list was run on the journal ${other.journal}, so it knows`)
    const pruned = yield* alone(["prune", file, "--yes", ...other.at])
    expect(pruned.code).toBe(0)
    const again = ["run", file, "--yes", "--campaign", "again", ...other.at]
    expect((yield* command(again)).events.at(-1)).toMatchObject({ sent_now: 2 })
  }).pipe(onSandbox)
)

it.live("run on a terminal says that it begins a journal, and begins none if nobody agrees", () =>
  Effect.gen(function* () {
    const { file } = yield* fileOf(csvOf(2))
    const journal = join(yield* folder, "new", "journal.sqlite")
    const answered = (answer: string) =>
      command(["run", file, "--journal", journal], { columns: 200, stdin: [`${answer}\n`] })
    const dry = yield* command(["run", file, "--dry-run", "--journal", journal], { columns: 200 })
    const declined = yield* answered("n")
    for (const { stdout } of [dry, declined]) {
      expect(stdout).toContain(`The journal ${journal} is not there yet, and knows of nothing`)
    }
    expect(declined.stderr).toContain(
      `This begins a new journal, ${journal}, which knows of nothing`
    )
    expect(existsSync(journal)).toBe(false)
    expect((yield* answered("y")).code).toBe(0)
    expect(yield* texts).toHaveLength(2)
    const again = yield* answered("y")
    expect(again.stderr).toContain("Nothing to send")
    expect(again.stderr).not.toContain("new journal")
    expect(again.stdout).toContain(`compared with the journal ${journal}, which knows`)
  }).pipe(onSandbox)
)

it.live("run names the address that it sends to, without path and token", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const env = {
      MESSAGING_TOPUP_BASE_URL: "https://API.example.com/secret/v1",
      MESSAGING_TOPUP_TOKEN: "secret"
    }
    const run = ["run", file, "--journal", journal]
    const asked = yield* command(run, { columns: 200, env, stdin: ["n\n"] })
    expect(asked.stderr).toContain("Send 2 SMS to api.example.com? ")
    expect(asked.stdout).toContain("Sends to api.example.com. ")
    expect(asked.stdout + asked.stderr).not.toContain("secret")
    const tokenFile = `${file}.token`
    writeFileSync(tokenFile, "secret\n")
    const addressFile = `${file}.address`
    writeFileSync(addressFile, "https://api.example.com\n")
    const files = {
      MESSAGING_TOPUP_BASE_URL: "",
      MESSAGING_TOPUP_BASE_URL_FILE: addressFile,
      MESSAGING_TOPUP_TOKEN: "",
      MESSAGING_TOPUP_TOKEN_FILE: tokenFile
    }
    const named = yield* command(run, { columns: 200, env: { ...env, ...files }, stdin: ["n\n"] })
    expect(named.stderr).toContain("Send 2 SMS to api.example.com? ")
    const inFile = { MESSAGING_TOPUP_TOKEN: "", MESSAGING_TOPUP_TOKEN_FILE: tokenFile }
    const trial = ["run", file, "--to", "+15550000001", "--yes"]
    const refused = yield* command(trial, { env: inFile })
    expect(refused.stderr).toContain("the access token: check MESSAGING_TOPUP_TOKEN_FILE. The ")
    writeFileSync(tokenFile, "Bearer secret\n")
    const pasted = yield* command(trial, { env: inFile })
    expect(pasted.code).toBe(2)
    expect(pasted.stderr).toContain("Change MESSAGING_TOPUP_TOKEN_FILE: give the access token")
    expect(refused.stderr + pasted.stderr).not.toContain("secret")
    const twice = { ...env, MESSAGING_TOPUP_TOKEN_FILE: tokenFile }
    const both = yield* command(run, { columns: 200, env: twice, stdin: ["n\n"] })
    expect(both).toMatchObject({ code: 2, stdout: "" })
    expect(both.stderr).toContain("Leave out MESSAGING_TOPUP_TOKEN or MESSAGING_TOPUP_TOKEN_FILE")
    const dry = yield* command([...run, "--dry-run"], { columns: 200, env })
    expect(dry.stdout).not.toContain("example.com")
  }).pipe(onSandbox)
)

it.live(
  "a list that was tried on a sandbox is refused at the real address, until a person accepts it",
  () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const at = ["--journal", journal]
      const run = ["run", file, ...at]
      const accepts = ["init", "--accept-address", ...at]
      const nothing = yield* alone([...accepts, "--yes"])
      expect(nothing).toMatchObject({ code: 1, stdout: "" })
      expect(nothing.stderr).toContain(`${journal}: it has no address yet, and nothing was changed`)
      expect((yield* command([...run, "--yes"])).events.at(-1)).toMatchObject({ sent_now: 2 })
      const env = {
        MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
        MESSAGING_TOPUP_TOKEN: "secret"
      }
      const kept = readFileSync(journal)
      for (const given of [{}, { columns: 200, stdin: ["y\n"] }]) {
        const sending = [...run, ...("stdin" in given ? [] : ["--yes"])]
        for (const [rows, words] of [
          [csvOf(2), sending],
          [csvOf(3), sending],
          [csvOf(3), [...run, "--dry-run"]],
          [csvOf(3), ["results", file, ...at, "--statuses", "--out", `${file}.results`]]
        ] as const) {
          writeFileSync(file, rows)
          const refused = yield* command(words, { ...given, env })
          expect(refused).toMatchObject({ code: 1, stdout: "" })
          expect(refused.stderr).toContain(
            `The journal ${journal} is not available (address localhost): its sends went to that address`
          )
          expect(refused.stderr).not.toContain("Nothing to send")
        }
      }
      expect(readFileSync(journal)).toEqual(kept)
      for (const reads of [["sends"], ["results", file], ["report", file]]) {
        expect((yield* alone([...reads, ...at], { env })).stderr).not.toContain("not available")
      }
      // Who has no account compares no address.
      const { MESSAGING_TOPUP_TOKEN: _, ...noToken } = env
      expect((yield* alone([...run, "--dry-run"], { env: noToken })).code).toBe(0)
      const typed = yield* alone(accepts, { columns: 200, stdin: ["n\n"] })
      expect(typed).toMatchObject({ code: 1, stderr: expect.stringContaining("from localhost") })
      expect((yield* command([...run, "--yes"], { env })).code).toBe(1)
      expect(yield* alone([...accepts, "--yes"])).toMatchObject({
        code: 0,
        events: [{ event: "Accepted", journal }]
      })
      expect((yield* alone([...accepts, "--yes"])).code).toBe(1)
      writeFileSync(file, csvOf(2))
      const accepted = yield* command([...run, "--yes"], { env })
      expect(accepted).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("Nothing to send")
      })
      const again = yield* alone([...accepts, "--yes"], { columns: 200 })
      expect(again.stdout + again.stderr).toContain("sends there until it is restarted")
      const both = yield* alone([...accepts, "--accept-failover", "--yes"])
      expect(both.code).toBe(2)
      expect(yield* texts).toHaveLength(2)
    }).pipe(onSandbox)
)

it.live("a run whose campaign is pruned says that it has sent, and must not be run again", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(200))
    const on = ["--journal", journal]
    const { until } = yield* Sandbox
    const slowly = ["run", file, "--yes", "--messages-per-second", "5", ...on]
    const running = yield* Effect.forkChild(command(slowly))
    yield* until(({ requests }) => requests.length > 0)
    // It is refused while a row is in flight.
    const prune = alone(["prune", file, "--yes", ...on])
    yield* Effect.repeat(prune, { until: ({ code }) => code === 0 })
    const { code, stderr } = yield* Fiber.join(running)
    expect(code).toBe(4)
    expect(stderr).toContain("nobody knows any more who got an SMS of it")
    expect(stderr).toMatch(/some people may have got the SMS of this run\n$/)
    const accepted = (yield* texts).length
    expect(accepted).toBeLessThan(200)
    // Nothing of this one was sent.
    const again = yield* command(["run", file, "--yes", ...on])
    expect(again.code).toBe(1)
    expect(again.stderr).not.toContain("of this run")
    expect(yield* texts).toHaveLength(accepted)
  }).pipe(onSandbox)
)

it.effect("no command takes an emptied journal for one, or writes into it", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const run = command(["run", file, "--yes", "--journal", journal])
    expect((yield* inTestTime(run)).code).toBe(0)
    writeFileSync(journal, "")
    const commands = [
      ["run", file, "--yes"],
      ["run", file, "--dry-run"],
      ["results", file],
      ["report", file],
      ["sends", "--unknown"],
      ["resolve", file, "--not-sent", "--yes"],
      ["prune", file, "--yes"]
    ]
    const ended = yield* inTestTime(
      Effect.forEach(commands, (words) => command([...words, "--journal", journal]), {
        concurrency: "unbounded"
      })
    )
    for (const { code, stderr, stdout } of ended) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toBe(
        `The journal ${journal} is not available: its file is empty, because its first start did not end or something emptied it: if nothing was sent before, messaging-topup init fills it, once; otherwise, a backup does not have what was sent after it, and another file or database nothing, and what they do not have is sent again: stop everything (also cron), restore the newest backup, compare with the service, and keep what went out from going out again (take its rows out of the lists, and its keys out of programs; tell the callers); only then go on\n`
      )
    }
    expect(readFileSync(journal)).toHaveLength(0)
    const filled = yield* alone(["init", "--yes", "--journal", journal])
    expect(filled.events).toEqual([{ event: "Created", journal }])
    expect(yield* texts).toHaveLength(2)
  }).pipe(onSandbox)
)

it.live("a list of the same name in another folder is not the same campaign unasked", () =>
  Effect.gen(function* () {
    const one = yield* fileOf(csvOf(3))
    const other = yield* fileOf(csvOf(5).replaceAll("Hello", "Bye"))
    const run = (file: string, ...more: ReadonlyArray<string>) =>
      command(["run", file, "--journal", one.journal, ...more])
    expect((yield* run(one.file, "--yes")).code).toBe(0)
    expect((yield* run(one.file, "--yes")).code).toBe(0)
    const changing = [
      ["run", "--yes", "--allow-repeats"],
      ["prune", "--yes"],
      ["resolve", "--sent"]
    ]
    for (const [name = "", ...words] of changing) {
      const refused = yield* command([name, other.file, ...words, "--journal", one.journal])
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr).toMatch(
        /^Nothing was (sent|changed)\. .* began with a file in another folder: .*, give --campaign rows; /m
      )
    }
    for (const words of [["results"], ["report"], ["run", "--dry-run"]]) {
      const [name = "", ...more] = words
      const looked = yield* command([name, other.file, ...more, "--journal", one.journal])
      expect(looked).toMatchObject({ code: 0 })
      expect(looked.stderr).toContain("began with a file in another folder")
    }
    const otherwise = yield* run(other.file, "--dry-run", "--country", "US")
    expect(otherwise.code).toBe(2)
    expect(otherwise.stderr).toMatch(
      /^The campaign "rows" began with a file in another folder: .* --campaign\. The campaign "rows" was begun with another --country, or none: /
    )
    expect((yield* command(["results", one.file, "--journal", one.journal])).stderr).toBe("")
    const asked = yield* command(["run", other.file, "--journal", one.journal], {
      columns: 80,
      stdin: ["n\n"]
    })
    expect(asked.stderr).toContain("began with a file in another folder")
    const same = yield* fileOf(csvOf(3))
    const { code, stderr } = yield* run(same.file, "--yes")
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/began with a file in another folder.*\n.*Nothing to send/s)
    })
    expect(yield* texts).toHaveLength(3)
    const named = yield* run(other.file, "--yes", "--allow-repeats", "--campaign", "rows")
    expect(named.events.at(-1)).toMatchObject({ sent: 5 })
  }).pipe(onSandbox)
)

it.live.each([
  ["in two folders", [], "began with a file in another folder"],
  ["of which one has a stop list", ["--campaign", "rows"], "has a stop list"]
] as const)("of two lists of one name that begin together, %s, one is refused", ([, names, why]) =>
  Effect.gen(function* () {
    const one = yield* fileOf(csvOf(3))
    const other = yield* fileOf(csvOf(5).replaceAll("+1555", "+1556"))
    const stop = yield* fileOf(`${numberOf(8)}\n`, "stop.txt")
    const services = yield* Effect.context<Sandbox>()
    async function* answer() {
      const options = [...names, "--journal", one.journal]
      const first = command(["run", other.file, "--yes", "--exclude", stop.file, ...options])
      expect((await Effect.runPromiseWith(services)(first)).code).toBe(0)
      yield "y\n"
    }
    const args = ["run", one.file, ...names, "--journal", one.journal]
    const second = yield* command(args, { columns: 80, stdin: answer() })
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/Nothing was sent\. The campaign/)
    expect(second.stderr).toContain(why)
    expect(yield* texts).toHaveLength(5)
  }).pipe(onSandbox)
)

it.live(
  "the same text to the same numbers is noticed under another name, and of a rehearsal never",
  () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(4))
      const run = (...more: ReadonlyArray<string>) =>
        command(["run", file, "--journal", journal, "--yes", ...more])
      const rehearse = (...more: ReadonlyArray<string>) =>
        Effect.map(command(["run", file, "--yes", ...more]), ({ code }) => expect(code).toBe(0))
      yield* rehearse("--sandbox")
      yield* rehearse("--to", numberOf(0))
      writeFileSync(file, csvOf(3))
      expect((yield* run()).code).toBe(0)
      writeFileSync(file, csvOf(4))
      const refused = yield* run("--campaign", "again")
      expect(refused.code).toBe(1)
      expect(refused.events.at(-1)).toMatchObject({ to_send: 4, same_sms_before: 3 })
      const named = refused.events.filter(({ event }) => event === "Repeated")
      expect(named.map(({ line }) => line)).toEqual([2, 3, 4])
      expect(refused.stderr).toMatch(
        /^Nothing was sent\. 3 recipients got the same text before, or may have, with the campaign "rows", last on \d{4}-\d\d-\d\d\. If they should get this one, too, give --allow-repeats; otherwise, remove their rows from rows\.csv, or give --campaign rows if it is the list of that campaign\n$/m
      )
      yield* rehearse("--campaign", "again", "--to", numberOf(9))
      const allowed = yield* run("--campaign", "again", "--allow-repeats")
      expect(allowed.events.at(-1)).toMatchObject({ sent: 4 })
      const database = new DatabaseSync(journal)
      const days = (count: number) =>
        database.exec(`update send set claimed_at = claimed_at - ${count} * 86400000`)
      days(29)
      expect((yield* run("--campaign", "next")).code).toBe(1)
      days(2)
      database.close()
      expect((yield* run("--campaign", "next")).events.at(-1)).toMatchObject({ sent: 4 })
      // A spreadsheet saves blanks and ends of lines otherwise, and a Mac the letters with marks.
      for (const [campaign, message, code] of [
        ["first", "Hello,\r\nZo\u00eb", 0],
        ["line-feed", "Hello,\nZo\u00eb", 1],
        ["return", "Hello,\rZo\u00eb", 1],
        ["blanks", "Hello,\u00a0 Zo\u00eb ", 1],
        ["marks", "Hello,\r\nZoe\u0308", 1],
        ["letters", "Hello,\r\nZoe", 0]
      ] as const) {
        writeFileSync(file, `recipient,message\n${numberOf(0)},"${message}"\n`)
        expect((yield* run("--campaign", campaign)).code, campaign).toBe(code)
      }
      // Under the same name, its row has the same key.
      writeFileSync(file, `recipient,message\n${numberOf(0)},"Hello,\nZo\u00eb"\n`)
      const same = yield* run("--campaign", "first")
      expect(same.events.at(-1)).toMatchObject({ sent: 1, sent_now: 0 })
    }).pipe(onSandbox)
)

it.live("a number of a stop list that lost its plus excludes both that it may be", () =>
  Effect.gen(function* () {
    const rows = "04921 123456,Hello\n+49 21123456,Hello\n+49 151 23456789,Hello\n"
    const { file } = yield* fileOf(`recipient,message\n${rows}`)
    const stop = yield* fileOf("4921123456\n", "stop.txt")
    const { events } = yield* command([
      "run",
      file,
      "--exclude",
      stop.file,
      "--country",
      "DE",
      "--dry-run"
    ])
    expect(events[0]).toMatchObject({ event: "Totals", rows: 1, excluded: 2, invalid: 0 })
  }).pipe(onSandbox)
)

it.live("of two columns of numbers in a stop list, none is left out without a word", () =>
  Effect.gen(function* () {
    for (const own of ["recipient", "Telefon"]) {
      const { file } = yield* fileOf(`${own},message\n0151 23456789,Hello\n0151 23456705,Hello\n`)
      for (const names of [
        ["recipient", "Mobil"],
        ["Telefon", "Mobil"],
        ["recipient", "Telefon"],
        ["Mobil", "Handy"]
      ]) {
        for (const [first = "", second = ""] of [names, names.toReversed()]) {
          const rows = [
            [first, second],
            ["", "0151 23456705"],
            ["0151 23456789", ""]
          ]
          writeFileSync(`${file}.stop`, rows.map((row) => `${row.join(";")}\n`).join(""))
          const reading = [
            "--recipient-column",
            own,
            "--country",
            "DE",
            "--exclude",
            `${file}.stop`
          ]
          const { code, stderr } = yield* command(["run", file, "--dry-run", ...reading])
          const other = first === "recipient" ? second : first
          const isAlone = names.includes("recipient") && other !== own
          const told = isAlone
            ? `1 number in the column "recipient"; the column "${other}" excludes nobody\n`
            : "line 1: several of its columns may have the numbers"
          expect({ code, stderr }).toEqual({
            code: isAlone ? 0 : 2,
            stderr: expect.stringContaining(told)
          })
        }
      }
    }
  }).pipe(onSandbox)
)

it.live("a sent row whose number came on the stop list since counts as sent", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const args = ["run", file, "--yes", "--journal", journal]
    yield* command(args)
    const stop = `${file}.stop.txt`
    writeFileSync(stop, `${numberOf(0)}\n`)
    const nothing = yield* command([...args, "--exclude", stop])
    writeFileSync(file, csvOf(3))
    const more = yield* command([...args, "--exclude", stop])
    for (const [{ code, events }, all, sent_now] of [
      [nothing, 2, 0],
      [more, 3, 1]
    ] as const) {
      expect(events).toContainEqual(expect.objectContaining({ event: "Compared", sent: 2 }))
      expect(events.at(-1)).toMatchObject({ event: "Ended", sent: all, sent_now, not_sent: 0 })
      expect(code).toBe(0)
    }
    // From the first run with it on, also if that sent nothing.
    writeFileSync(file, csvOf(4))
    const without = yield* command(args)
    expect(without.code).toBe(1)
    expect(without.stderr).toContain("has a stop list, and this command has none")
    // Under another name, the question says so, and nobody is asked with --yes.
    const next = ["run", file, "--campaign", "next", "--journal", journal]
    const other = "Another campaign of this journal has a stop list, and this command has none"
    const no = { columns: 200, stdin: ["n\n"] }
    expect((yield* command(next, no)).stderr).toContain(other)
    expect((yield* command([...next, "--exclude", stop], no)).stderr).not.toContain(other)
    const last = yield* command([...next, "--yes", "--allow-repeats"])
    expect(last.code).toBe(0)
    expect(last.stderr).toContain(other)
  }).pipe(onSandbox)
)

it.live("rows that got the same text meanwhile, with another campaign, are told as that", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const service = yield* sandboxSettings
    const run = (...more: ReadonlyArray<string>) => ["run", file, "--journal", journal, ...more]
    async function* typing() {
      await operate(run("--campaign", "other", "--yes"), service)
      yield "y\n"
    }
    const { stderr, stdout } = yield* command(run(), { columns: 80, stdin: typing() })
    const why =
      "not sent, because the recipient got an SMS of this campaign, or the same text, before, or may have"
    expect(stdout).toMatch(new RegExp(`^  ${why} +2$`, "m"))
    expect(stderr).toContain(`2 rows ${why}. If they should get this one, too, run it again\n`)
  }).pipe(onSandbox)
)

it.live("a number without a country code is told, and who may be on a stop list is excluded", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf("recipient,message\n0151 23456789,Hello\n")
    const stop = yield* fileOf("+49 151 23456789\n", "stop.txt")
    const run = (...more: ReadonlyArray<string>) =>
      command(["run", file, "--journal", journal, "--yes", ...more])
    const refused = yield* run("--exclude", stop.file)
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain(
      "Nothing was sent. 1 number begins with neither + nor 00: write it with + and country code, or give --country; otherwise somebody who is on the stop list may get an SMS"
    )
    expect((yield* run("--exclude", stop.file, "--country", "DE")).events).toContainEqual(
      expect.objectContaining({ event: "Totals", excluded: 1 })
    )
    expect(yield* texts).toEqual([])
    const without = yield* run("--campaign", "other")
    expect(without).toMatchObject({ code: 0 })
    expect(without.stderr).toContain("or give --country, so that other spellings of it are found")
    expect(yield* texts).toHaveLength(1)
    // Without a column of keys, a row that lost its 0 in a spreadsheet is the same row.
    const german = ["--campaign", "german", "--country", "DE"]
    yield* run("--allow-repeats", ...german)
    writeFileSync(file, "recipient,message\n151 23456789,Hello\n+49 151 23456705,Hello\n")
    expect((yield* run(...german)).events.at(-1)).toMatchObject({ sent: 2, sent_now: 1 })
    const { stdout } = yield* command(["results", file, "--journal", journal, ...german])
    expect(stdout).toMatch(/^151 23456789,Hello,2,sent,/m)
  }).pipe(onSandbox)
)
