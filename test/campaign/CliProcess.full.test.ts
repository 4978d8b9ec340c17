import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { commandFile } from "../harness/Bundled.ts"
import { start as startProgram, startNode } from "../harness/Process.ts"
import { sandboxSettings } from "../harness/sandbox/Client.ts"
import { folder } from "../harness/TemporaryFolder.ts"
import { command, csvOf, fileOf, numberOf, onSandbox, start, texts } from "../harness/Command.ts"

const stopping = (signal: string) =>
  `Stopping: waiting for the SMS that are on their way, and for the journal to store what became of them. ${signal === "SIGINT" ? "Ctrl+C again" : "A second signal"} ends the process at once`

const slow = ["--messages-per-second", "100"]

/** Starts a process that sends a campaign. */
const sending = Effect.fnUntraced(function* (
  count: number,
  more: ReadonlyArray<string>,
  received = 20,
  before = 0
) {
  const { file, journal } = yield* fileOf(csvOf(before))
  const { until } = yield* Sandbox
  const args = ["run", file, "--yes", "--journal", journal]
  if (before > 0) yield* command(args)
  writeFileSync(file, csvOf(count))
  // Less than by default, so that its rows read as unknown sooner.
  const running = yield* start([...args, ...more], { MESSAGING_TOPUP_TIMEOUT: "5 seconds" })
  yield* until(({ requests }) => requests.length >= received)
  return { args, running }
})

it.live("a program of which nothing is left to wait for has not succeeded", () =>
  Effect.gen(function* () {
    const program = `import { runMain } from "@messaging-topup/command"
      import * as Effect from "effect/Effect"
      runMain({ start: () => Effect.callback(() => {}), explain: () => ({ exit: "failed", text: "" }) })`
    const ended = yield* Effect.promise(
      () => startNode(["--input-type=module", "--eval", program]).ended
    )
    expect(ended).toMatchObject({ code: 4, stderr: "The command ended before its work did\n" })
  })
)

it.live("reads stdin, and leaves nothing of it", () =>
  Effect.gen(function* () {
    const { journal } = yield* fileOf("")
    const path = yield* folder
    const args = ["run", "-", "--campaign", "c", "--yes", "--journal", journal]
    const running = yield* start(args, { TMPDIR: path }, [csvOf(5)])
    expect((yield* running.ended).events.at(-1)).toMatchObject({ campaign: "c", sent: 5 })
    expect(readdirSync(path)).toEqual([])
    // What nobody remembers needs no name.
    const tried = yield* command(["run", "-", "--sandbox", "--yes"], { stdin: [csvOf(5)] })
    expect(tried.events.at(-1)).toMatchObject({ event: "Ended", campaign: "trial", sent: 5 })
    const again = yield* command(args, { stdin: [csvOf(5)] })
    expect(again.events.at(-1)).toMatchObject({ event: "Ended", sent: 5, sent_now: 0 })
    expect(yield* texts).toHaveLength(5)
  }).pipe(onSandbox)
)

const inShell = (...args: ReadonlyArray<string>) => ["sh", "-c", '"$@" & wait', "sh", ...args]

type Shells = (run: ReadonlyArray<string>) => ReadonlyArray<string>

/** A run in shells as npx and pnpm start them, once the outer one has been stopped. */
const orphaned = Effect.fnUntraced(function* (shells: Shells) {
  const { setFault, until } = yield* Sandbox
  yield* setFault({ fault: "Response", status: 429 })
  const { file, journal } = yield* fileOf(csvOf(1))
  const run = [process.execPath, commandFile, "run", file, "--yes", "--journal", journal]
  const env = { npm_command: "exec", ...(yield* sandboxSettings) }
  const [program = "", ...args] = shells(run)
  const outer = startProgram(program, args, { env })
  yield* until(({ requests }) => requests.length > 0)
  outer.kill("SIGTERM")
  return outer
})

it.live.each<readonly [string, Shells]>([
  ["npx ends, which ends only the shell between them", (run) => inShell(...run)],
  ["npx ends, and pnpm in it goes on", (run) => inShell(...inShell(...inShell(...run)))]
])("ends when %s, and sends nothing more", ([, shells]) =>
  Effect.gen(function* () {
    const { clearFault, messages } = yield* Sandbox
    const outer = yield* orphaned(shells)
    yield* Effect.promise(() => outer.until(/^Stopping: /, "stderr"))
    yield* clearFault
    const { signal, stdout } = yield* Effect.promise(() => outer.ended)
    expect(signal).toBe("SIGTERM")
    expect(stdout).toContain('{"event":"Interrupted","campaign":"rows","sent_now":0,')
    expect(yield* messages()).toEqual([])
  }).pipe(onSandbox)
)

/** Together, because most of their time they wait for the service. */
describe.concurrent("a process of the command", () => {
  it.live.each([
    ["in a session of its own when npx ends", ["setsid"]],
    ["without npx when its shell ends", ["env", "-u", "npm_command"]]
  ] as const)("goes on %s", ([, prefix]) =>
    Effect.gen(function* () {
      const { clearFault, until } = yield* Sandbox
      const outer = yield* orphaned((run) => inShell(...prefix, ...run))
      // More than a second after the first one.
      yield* until(({ requests }) => requests.length > 1)
      yield* clearFault
      const { stderr, stdout } = yield* Effect.promise(() => outer.ended)
      expect(stderr).not.toContain("Stopping")
      expect(stdout).toContain('"state":"finished","sent_now":1,')
    }).pipe(onSandbox)
  )

  it.live.each([
    [["SIGINT"], 130],
    [["SIGTERM"], 143],
    // A closed terminal sends it twice.
    [["SIGHUP", "SIGHUP"], 129]
  ] as const)(
    "%s waits for the requests in flight; resume sends the other rows, and nothing twice",
    ([signals, code]) =>
      Effect.gen(function* () {
        const { clearFault, setFault } = yield* Sandbox
        // So that the process waits until all signals have come.
        yield* setFault({ fault: "Slow", seconds: 1 })
        const { args, running } = yield* sending(120, slow, 5, 1)
        for (const signal of signals) {
          running.kill(signal)
          yield* running.says(/^Stopping: /)
        }
        const ended = yield* running.ended
        expect(ended.code).toBe(code)
        const sent = (yield* texts).length
        expect(sent).toBeLessThan(120)
        expect(ended.events.at(-1)).toEqual({
          event: "Interrupted",
          campaign: "rows",
          // An earlier run sent one.
          sent_now: sent - 1,
          sent,
          rejected: 0,
          unknown: 0,
          in_flight: 0
        })
        expect(ended.stderr).toBe(
          `${stopping(signals[0])}\n` +
            "Stopped. The journal has what became of each SMS of this run\n" +
            `To go on, run the same command again: npx messaging-topup ${[...args, ...slow].join(" ")}\n`
        )
        yield* clearFault
        const last = yield* command(args)
        expect(last.code).toBe(0)
        expect(last.events.at(-1)).toMatchObject({ sent: 120, not_sent: 0 })
        const all = yield* texts
        expect(all).toHaveLength(120)
        expect(new Set(all).size).toBe(120)
      }).pipe(onSandbox)
  )

  it.live(
    "a second signal kills the process; the row in flight is not resent, and becomes unknown",
    () =>
      Effect.gen(function* () {
        const { setFault } = yield* Sandbox
        yield* setFault({ fault: "NoResponse", accept: true })
        const { args, running } = yield* sending(60, ["--concurrency", "20"], 1)
        running.kill("SIGINT")
        yield* running.says(/^Stopping: /)
        running.kill("SIGTERM")
        const ended = yield* running.ended
        expect(ended).toMatchObject({ code: null, signal: "SIGTERM" })
        const { clearFault } = yield* Sandbox
        yield* clearFault
        const next = yield* command(args)
        expect(next.code).toBe(3)
        expect(next.events.at(-1)).toMatchObject({
          sent: 59,
          in_flight: 1,
          unknown: 0,
          not_sent: 0
        })
        // A process that lives looks the same.
        expect(next.stderr).toMatch(
          /^1 row in flight in another process, which may have ended: after /m
        )
        const last = yield* Effect.repeat(Effect.delay(command(args), "500 millis"), {
          until: ({ events }) => events.at(-1)?.["in_flight"] === 0
        })
        expect(last.code).toBe(3)
        // Whether the row became unknown during this run or before it.
        expect(last.events.at(-1)).toMatchObject({ sent: 59, unknown: 1 })
        expect(new Set(yield* texts).size).toBe(60)
        expect(yield* texts).toHaveLength(60)
      }).pipe(onSandbox)
  )

  it.live("a signal while the rows are read ends the command, and nothing is sent", () =>
    Effect.gen(function* () {
      const journal = `${yield* folder}/journal.sqlite`
      const read = yield* Deferred.make<void>()
      async function* rows() {
        yield csvOf(10)
        for (let i = 0; i < 10; i++) yield `${numberOf(10 + i)},${"x".repeat(100_000)}\n`
        // More than a pipe can hold, so the process has begun to read.
        Deferred.doneUnsafe(read, Effect.void)
        await new Promise(() => {})
      }
      const args = ["run", "-", "--campaign", "c", "--yes", "--journal", journal]
      const running = yield* start(args, {}, rows())
      yield* Deferred.await(read)
      running.kill("SIGTERM")
      const { code, stderr } = yield* running.ended
      expect(code).toBe(143)
      expect(stderr).toBe("Nothing was sent\n")
      expect(yield* texts).toEqual([])
    }).pipe(onSandbox)
  )

  it.live("a signal while the journal is locked ends the run, and says how many are unknown", () =>
    Effect.gen(function* () {
      const { setFault } = yield* Sandbox
      yield* setFault({ fault: "Slow", seconds: 1 })
      const { args, running } = yield* sending(60, [], 1)
      const holder = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(args.at(-1) ?? "")),
        (database) => Effect.sync(() => database.close())
      )
      holder.exec("begin immediate")
      running.kill("SIGTERM")
      const ended = yield* running.ended
      expect(ended.code).toBe(143)
      expect(ended.events.at(-2)).toEqual({ event: "OutcomesLost", rows: 1 })
      expect(ended.events.at(-1)).toMatchObject({ event: "Ended", sent_now: 0, unknown: 1 })
      expect(ended.stderr).toContain(
        "Stopped without the journal: the outcomes of 1 SMS could not be stored. They are unknown, and no run sends them again before a person decides, unless an older copy takes its place (a file, a dump or a server)\nTo go on, run the same command again"
      )
      expect(yield* texts).toHaveLength(1)
    }).pipe(onSandbox)
  )

  const cut = (journal: string) => truncateSync(journal, 5 * 4096)
  const empty = (journal: string) => truncateSync(journal)
  const moveBackup = (journal: string) => {
    writeFileSync(`${journal}.backup`, "")
    renameSync(`${journal}.backup`, journal)
  }

  it.live.each([
    ["removed", rmSync, "removed or replaced", undefined],
    ["emptied", empty, "emptied", undefined],
    ["cut in half", cut, "damaged", undefined],
    ["emptied, and then replaced by a backup,", empty, "emptied", moveBackup],
    ["cut in half, and then replaced by a backup,", cut, "damaged", moveBackup]
  ] as const)(
    "a run whose journal was %s ends after a signal with 4, and is not to be run again",
    ([, change, what, next]) =>
      Effect.gen(function* () {
        const { setFault } = yield* Sandbox
        yield* setFault({ fault: "Slow", seconds: 1 })
        const { args, running } = yield* sending(60, [], 1)
        change(args.at(-1) ?? "")
        yield* running.says(/The journal is not available/)
        if (next !== undefined) {
          next(args.at(-1) ?? "")
          yield* running.says(/it was removed or replaced/)
        }
        running.kill("SIGTERM")
        const ended = yield* running.ended
        expect(ended.code).toBe(4)
        expect(ended.events.at(-1)).toMatchObject({
          event: "Ended",
          state: "stopped",
          sent_now: 0,
          unknown: 1,
          not_sent: 59
        })
        expect(ended.stderr.split("\n").at(-2)).toBe(
          `The journal was ${what}, and the outcomes of 1 SMS are in no journal: stop everything (also cron), and do not run this again before the journal that this run wrote is back; if that is lost, first take out what went out, because no backup has it`
        )
        expect(ended.stderr).not.toMatch(/To go on|are in the journal/)
        expect(yield* texts).toHaveLength(1)
      }).pipe(onSandbox)
  )
})
