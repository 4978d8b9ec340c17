/**
 * A list that is saved while its run sends it: what the run has read when it began goes out, and nothing else.
 */
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import {
  alone,
  command,
  csvOf,
  fileOf,
  main,
  numberOf,
  onSandbox,
  start
} from "../harness/Command.ts"
import { contract } from "../harness/Contract.ts"
import { reply, responseServer } from "../harness/ResponseServer.ts"

/** So many that most of them are claimed only after the first SMS went out. */
const count = 2500

const long = "Hello".padEnd(200, "o")

const listOf = (rows: number) => csvOf(rows).replaceAll("Hello", long)

const list = listOf(count)

const longer = list.replaceAll("Hello", "Another and longer Hello")

type Save = (file: string) => void

const inPlace =
  (content: string): Save =>
  (file) =>
    writeFileSync(file, content)

const renamed: Save = (file) => {
  writeFileSync(`${file}.new`, longer)
  renameSync(`${file}.new`, file)
}

it.live.each<readonly [how: string, at: number, save: Save]>([
  ["with longer texts", 1, inPlace(longer)],
  ["with fewer rows", 1, inPlace(listOf(1500))],
  ["with other texts of the same length", 1000, inPlace(list.replaceAll("Hello", "Olleh"))],
  ["under another name, and renamed", 1, renamed]
])("a list that is saved %s at SMS %i goes out as it was when its run began", ([, at, save]) =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(list)
    const server = yield* responseServer
    const texts = new Array<string>()
    server.respondWith(({ body, ...request }, response) => {
      texts.push(JSON.parse(body).message)
      if (texts.length === at) save(file)
      reply(202, contract.sendSms.success)({ body, ...request }, response)
    })
    const env = {
      MESSAGING_TOPUP_BASE_URL: server.baseUrl,
      MESSAGING_TOPUP_TOKEN: "token"
    }
    const run = alone(["run", file, "--yes", "--journal", journal], { env })
    const { code } = yield* run
    const shown = new Set(Array.from({ length: count }, (_, index) => `${long} ${index}`))
    expect(code).toBe(0)
    expect(texts).toHaveLength(count)
    expect(new Set(texts)).toEqual(shown)
    // The journal has what was sent, not what was saved.
    writeFileSync(file, list)
    expect(yield* run).toMatchObject({ code: 0 })
    expect(texts).toHaveLength(count)
  }).pipe(Effect.scoped)
)

it.live.each(["list", "stop list"])(
  "a %s that grows while the question stands is not sent",
  (what) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const stop = `${file}.stop.txt`
      writeFileSync(stop, `${numberOf(8)}\n`)
      function* typing() {
        if (what === "list") appendFileSync(file, `${numberOf(9)},Late\n`)
        else appendFileSync(stop, `${numberOf(1)}\n`)
        yield "y\n"
      }
      const run = command(["run", file, "--exclude", stop, "--journal", journal], {
        columns: 80,
        stdin: typing()
      })
      const { code, stderr } = yield* run
      const name = what === "list" ? "rows.csv" : "rows.csv.stop.txt"
      expect(stderr).toContain(`Nothing was sent: ${name} was saved since it was read. Run again\n`)
      expect(code).toBe(1)
      expect(yield* (yield* Sandbox).messages()).toEqual([])
    }).pipe(onSandbox)
)

it.live("a file of more than 1 GiB is refused before it is read", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    truncateSync(file, 1024 ** 3 + 1)
    const { code, stderr } = yield* alone(["run", file, "--dry-run", "--journal", journal])
    expect(stderr).toBe("rows.csv: it is larger than 1 GiB: split it\n")
    expect(code).toBe(1)
  })
)

it.live.each(['<(cat "$file")', '- < "$file"', '"$file.pipe"'])(
  "a list and a stop list are read once, so that they may come from a program: %s",
  (given) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      execFileSync("mkfifo", [`${file}.pipe`])
      const run = `"$node" "$main" run ${given} --campaign c --journal "$journal" --dry-run --exclude <(echo "$stop")`
      const script = given.includes("pipe") ? `cat "$file" > "$file.pipe" & ${run}` : run
      const env = { ...process.env, node: process.execPath, main, file, journal, stop: numberOf(1) }
      const [totals = ""] = String(
        execFileSync("bash", ["-c", script], { env, timeout: 20_000 })
      ).split("\n")
      expect(JSON.parse(totals)).toMatchObject({ rows: 1, excluded: 1 })
    })
)

it.live("a signal ends the wait for a pipe that nobody writes to", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const pipe = `${file}.pipe`
    execFileSync("mkfifo", [pipe])
    for (const args of [[pipe], [file, "--exclude", pipe]]) {
      const { ended, kill } = yield* start(["run", ...args, "--dry-run", "--journal", journal])
      // Ends when the command has opened it, too.
      const writer = yield* Effect.promise(() => open(pipe, "w"))
      kill("SIGTERM")
      expect(yield* ended).toMatchObject({ code: 143 })
      yield* Effect.promise(() => writer.close())
    }
  }).pipe(onSandbox)
)
