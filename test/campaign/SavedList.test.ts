/**
 * A list that is saved while its run sends it: what the run has read when it began goes out, and nothing else.
 */
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { basename } from "node:path"
import { alone, command, csvOf, fileOf, numberOf, onSandbox } from "../harness/Command.ts"
import { contract } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"
import { pass, turn } from "../harness/TestTime.ts"

type Change = (file: string) => void

/** What a person or a job can do to a file, after which it has other bytes. */
const changes: Readonly<Record<string, Change>> = {
  saved: (file) => writeFileSync(file, readFileSync(file, "utf8").replaceAll("Hello", "Another")),
  "saved with the same size and time": (file) => {
    const { atime, mtime } = statSync(file)
    writeFileSync(file, readFileSync(file, "utf8").replace(/7/, "8"))
    utimesSync(file, atime, mtime)
  },
  appended: (file) => appendFileSync(file, `${numberOf(9)},Late\n`),
  truncated: (file) => truncateSync(file, statSync(file).size - 2),
  replaced: (file) => {
    writeFileSync(`${file}.new`, csvOf(3))
    renameSync(`${file}.new`, file)
  },
  renamed: (file) => renameSync(file, `${file}.old`),
  deleted: (file) => rmSync(file),
  "replaced by a pipe": (file) => {
    rmSync(file)
    execFileSync("mkfifo", [file])
  }
}

/** After these, it has the same bytes. */
const noChanges: Readonly<Record<string, Change>> = {
  "changed in its rights": (file) => chmodSync(file, 0o640),
  "linked by a backup": (file) => linkSync(file, `${file}.backup`),
  "written again as it was": (file) => writeFileSync(file, readFileSync(file)),
  "replaced by a copy": (file) => {
    copyFileSync(file, `${file}.new`)
    renameSync(`${file}.new`, file)
  }
}

const whiches = ["list", "stop list", "list and stop list"] as const
type Which = (typeof whiches)[number]

/** Changes files, and returns what a command says of that. */
const changing = (which: Which, list: string, stop: string, change: Change) => {
  const files = [...(which === "list" ? [] : [stop]), ...(which === "stop list" ? [] : [list])]
  const names = files.map((file) => basename(file)).join(" and ")
  return {
    change: () => files.forEach(change),
    says:
      names +
      (files.length === 1 ? " was saved since it was read" : " were saved since they were read")
  }
}

/** Runs a list with a stop list, and changes some of them when the question stands. */
const changedAtQuestion = Effect.fnUntraced(function* (which: Which, change: Change) {
  const { file, journal } = yield* fileOf(csvOf(2).replace("recipient", "Recipient"))
  const stop = `${file}.stop.txt`
  writeFileSync(stop, `${numberOf(8)},Hello\n`)
  const changed = changing(which, file, stop, change)
  function* typing() {
    changed.change()
    yield "y\n"
  }
  const args = ["run", file, "--exclude", stop, "--journal", journal]
  const { code, stderr } = yield* command(args, { columns: 80, stdin: typing() })
  return { code, stderr, says: changed.says }
})

/** When a file is changed: while the question stands, in quiet hours before and after the first SMS, and while SMS go out. */
const whens = ["question", "before", "after", "sending"] as const
type When = (typeof whens)[number]

/** Every change at every time, and with them each pair of the three: which file it is, is seen by none of the others. */
const each = (when: When, of: Readonly<Record<string, Change>>) =>
  Object.entries(of).map(([how, change], index) => {
    const which: Which = whiches[(index + whens.indexOf(when)) % whiches.length] ?? "list"
    return [which, how, change] as const
  })

it.live.each(each("question", changes))(
  "if the %s is %s while the question stands, nothing is sent",
  ([which, , change]) =>
    Effect.gen(function* () {
      const { code, says, stderr } = yield* changedAtQuestion(which, change)
      expect(stderr).toContain(`Nothing was sent: ${says}. Run again\n`)
      expect(code).toBe(1)
      expect(yield* (yield* Sandbox).messages()).toEqual([])
    }).pipe(onSandbox)
)

it.live.each(each("question", noChanges))(
  "if the %s is %s while the question stands, the list is sent",
  ([which, , change]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* changedAtQuestion(which, change)
      expect(stderr).not.toContain("saved")
      expect(code).toBe(0)
      expect(yield* (yield* Sandbox).messages()).toHaveLength(2)
    }).pipe(onSandbox)
)

const noEffect = (which: Which) =>
  [
    ...(which === "list"
      ? []
      : [
          "rows.csv.stop.txt was saved since it was read: that had no effect on this run, and who was added to it may have got an SMS\n"
        ]),
    ...(which === "stop list"
      ? []
      : [
          "rows.csv was saved since it was read: that had no effect on this run. Run it again for what is new\n"
        ])
  ].join("")

/** Runs a list into the evening, and changes one of its files in quiet hours. */
const changedInQuietHours = Effect.fnUntraced(function* (
  begins: string,
  which: Which,
  change: Change
) {
  const { file, journal } = yield* fileOf(csvOf(6))
  const stop = `${file}.stop.txt`
  writeFileSync(stop, `${numberOf(8)},Hello\n`)
  yield* TestClock.setTime(Date.parse(begins))
  const seen = { isChanged: false }
  const changed = changing(which, file, stop, change)
  const args = ["run", file, "--exclude", stop, "--journal", journal, "--yes"]
  const quiet = ["--quiet-hours", "21:00-08:00", "--time-zone", "UTC", "--messages-per-second", "1"]
  const running = yield* Effect.forkChild(
    command([...args, ...quiet], {
      stop: (says) =>
        says("quiet-hours").pipe(
          Effect.andThen(Effect.sync(changed.change)),
          Effect.andThen(Effect.sync(() => (seen.isChanged = true))),
          Effect.andThen(Effect.never)
        )
    })
  )
  // Before the first SMS, the command needs no time of the test.
  while (!seen.isChanged) {
    if ((yield* (yield* Sandbox).messages()).length > 0) yield* pass(1)
    else yield* turn
  }
  const evening = (yield* (yield* Sandbox).messages()).length
  yield* TestClock.setTime(Date.parse("2026-07-11T08:00:00Z"))
  while (running.pollUnsafe() === undefined) yield* pass(1)
  const { code, events, stderr } = yield* Fiber.join(running)
  const sent = (yield* (yield* Sandbox).messages()).length
  return { code, evening, events, sent, stderr }
})

const [night, evening] = ["2026-07-10T22:00:00Z", "2026-07-10T20:59:58Z"]

const begins = [
  ["before", night],
  ["after", evening]
] as const

it.effect.each(
  begins.flatMap(([when, at]) =>
    each(when, changes).map(([which, how, change]) => [which, how, when, at, change] as const)
  )
)("the %s is %s in quiet hours %s the first SMS: only a stop list ends the run", (given) =>
  Effect.gen(function* () {
    const [which, , when, at, change] = given
    const ended = yield* changedInQuietHours(at, which, change)
    const { code, events, sent, stderr } = ended
    expect(ended.evening > 0).toBe(when === "after")
    if (which === "list") {
      expect(stderr).toContain(noEffect("list"))
      expect(events.at(-1)).toMatchObject({ event: "Ended", sent_now: 6 })
      expect({ code, sent }).toEqual({ code: 0, sent: 6 })
    } else {
      expect(stderr).toContain(
        "rows.csv.stop.txt was saved since it was read: nothing more is sent\n"
      )
      expect(stderr).toContain("To go on, run the same command again")
      expect(events.at(-1)).toMatchObject({ event: "Interrupted", sent_now: ended.evening })
      expect({ code, sent }).toEqual({ code: 4, sent: ended.evening })
    }
  }).pipe(onSandbox)
)

it.effect.each(
  begins.flatMap(([when, at]) =>
    each(when, noChanges).map(([which, how, change]) => [which, how, when, at, change] as const)
  )
)("if the %s is %s in quiet hours %s the first SMS, the run goes on", ([which, , , at, change]) =>
  Effect.gen(function* () {
    const { code, sent, stderr } = yield* changedInQuietHours(at, which, change)
    expect(stderr).not.toContain("saved")
    expect({ code, sent }).toEqual({ code: 0, sent: 6 })
  }).pipe(onSandbox)
)

/** Runs a list with a stop list, and changes one of them when the first SMS goes out. */
const changedWhileSending = Effect.fnUntraced(function* (
  content: string,
  which: Which,
  change: Change
) {
  const { file, journal } = yield* fileOf(content)
  const stop = `${file}.stop.txt`
  writeFileSync(stop, `${numberOf(8)},Hello\n`)
  const changed = changing(which, file, stop, change)
  const server = yield* responseServer
  const texts = new Array<string>()
  server.respondWith(({ body, ...request }, response) => {
    texts.push(JSON.parse(body).message)
    if (texts.length === 1) changed.change()
    reply(202, contract.sendSms.success)({ body, ...request }, response)
  })
  const env = { MESSAGING_TOPUP_BASE_URL: server.baseUrl, MESSAGING_TOPUP_TOKEN: "token" }
  const args = ["run", file, "--exclude", stop, "--yes", "--journal", journal]
  const run = (...more: ReadonlyArray<string>) => alone([...args, ...more], { env })
  return {
    ended: yield* run("--concurrency", "2"),
    file,
    run,
    stop,
    texts
  }
})

/** The texts of a list whose ninth row is excluded. */
const textsOf = (content: string) =>
  content
    .trimEnd()
    .split("\n")
    .slice(1)
    .filter((_, index) => index !== 8)
    .map((line) => line.replace(/^.*?,/, ""))
    .toSorted()

it.live.each(each("sending", changes))(
  "if the %s is %s while SMS go out, they go out as the run began, and its end says so",
  ([which, , change]) =>
    Effect.gen(function* () {
      const list = csvOf(40)
      const { ended, texts } = yield* changedWhileSending(list, which, change)
      expect(ended.stderr).toContain(noEffect(which))
      expect(ended.code).toBe(0)
      expect(texts.toSorted()).toEqual(textsOf(list))
    }).pipe(Effect.scoped)
)

it.live.each(each("sending", noChanges))(
  "if the %s is %s while SMS go out, nothing is said of it",
  ([which, , change]) =>
    Effect.gen(function* () {
      const list = csvOf(40)
      const { ended, texts } = yield* changedWhileSending(list, which, change)
      expect(ended.stderr).not.toContain("saved")
      expect(ended.code).toBe(0)
      expect(texts.toSorted()).toEqual(textsOf(list))
    }).pipe(Effect.scoped)
)

it.live("of a long list that is saved, too, the journal has what was sent", () =>
  Effect.gen(function* () {
    // So many, and so long, that most of them are claimed only after the first SMS went out.
    const list = csvOf(1200).replaceAll("Hello", "Hello".padEnd(200, "o"))
    const save: Change = (saved) => writeFileSync(saved, list.replaceAll("Hello", "Another Hello"))
    const { ended, file, run, texts } = yield* changedWhileSending(list, "list", save)
    expect(ended.code).toBe(0)
    expect(texts.toSorted()).toEqual(textsOf(list))
    writeFileSync(file, list)
    expect(yield* run()).toMatchObject({ code: 0, stderr: expect.not.stringContaining("saved") })
    expect(texts).toHaveLength(1199)
  }).pipe(Effect.scoped)
)

it.live("a file of more than 500 MiB is refused before it is read, and a pipe after that", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const size = 500 * 1024 ** 2 + 1
    truncateSync(file, size)
    const { code, stderr } = yield* alone(["run", file, "--dry-run", "--journal", journal])
    expect(stderr).toBe("rows.csv: it is larger than 500 MiB: split it\n")
    expect(code).toBe(1)
    const piece = Buffer.alloc(1024 ** 2, "a")
    const stdin = Array.from({ length: 501 }, () => piece)
    const piped = yield* alone(["run", "-", "--dry-run", "--campaign", "c"], { stdin })
    expect(piped).toMatchObject({ code: 1, stderr: "stdin: it is larger than 500 MiB: split it\n" })
  })
)
