/** A list and a stop list that another program writes: they are read once, and have no name. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync, spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { commandFile } from "../harness/Bundled.ts"
import { command, csvOf, fileOf, numberOf, onSandbox, start } from "../harness/Command.ts"
import { run as runProgram } from "../harness/Process.ts"
import { sandboxSettings } from "../harness/sandbox/Client.ts"

/** What the shell's lines name. */
const programs = { ...process.env, node: process.execPath, main: commandFile, stop: numberOf(1) }

/** How a shell gives a program what another one writes. */
const pipes = {
  "<(…)": { list: '<(cat "$file")', stop: '<(echo "$stop")' },
  stdin: { list: '- < "$file"', stop: '/dev/stdin < <(echo "$stop")' },
  "/dev/stdin of a file": { list: '/dev/stdin < "$file"', stop: '/dev/stdin < "$file.stop"' },
  "a named pipe": { list: '"$file.pipe"', stop: '"$file.pipe"' }
}

it.live.each(Object.entries(pipes))(
  "a list and a stop list may be %s, which has no name",
  ([, given]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      writeFileSync(`${file}.stop`, `${numberOf(1)}\n`)
      execFileSync("mkfifo", [`${file}.pipe`])
      const env = { ...programs, file, journal }
      const written = {
        list: `cat "$file" > "$file.pipe" &`,
        stop: `echo "$stop" > "$file.pipe" &`
      }
      const bash = (script: string, writer: string) =>
        spawnSync("bash", ["-c", given.list.includes("pipe") ? `${writer} ${script}` : script], {
          env,
          timeout: 20_000,
          encoding: "utf8"
        })
      const run = '"$node" "$main" run'
      const options = '--journal "$journal" --dry-run'
      const totals = ({ stdout }: { readonly stdout: string }): unknown =>
        JSON.parse(stdout.split("\n")[0] ?? "")
      const asList = bash(`${run} ${given.list} --campaign c ${options}`, written.list)
      expect(totals(asList)).toMatchObject({ rows: 2 })
      const asStopList = bash(`${run} "$file" ${options} --exclude ${given.stop}`, written.stop)
      expect(totals(asStopList)).toMatchObject({ rows: 1, excluded: 1 })
      // A command that cannot be repeated is not printed, and its number is no name of a campaign.
      const unnamed = bash(`${run} ${given.list} ${options} --template "{a}"`, written.list)
      expect(unnamed.stderr).toContain("which has no name for the campaign: give --campaign\n")
      expect(unnamed.stderr).not.toMatch(/ run (?!- )|63/)
      expect(unnamed.status).toBe(2)
    })
)

it.live("list and stop list may be two pipes of one program, in any order", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2_000))
    const env = { ...programs, file, journal }
    for (const pipe of ["one", "two"]) execFileSync("mkfifo", [`${file}.${pipe}`])
    for (const writer of [
      'cat "$file" > "$file.one"; echo "$stop" > "$file.two"',
      'echo "$stop" > "$file.two"; cat "$file" > "$file.one"'
    ]) {
      const script = `(${writer}) & "$node" "$main" run "$file.one" --exclude "$file.two" --campaign c --journal "$journal" --dry-run`
      const stdout = execFileSync("bash", ["-c", script], {
        env,
        timeout: 20_000,
        encoding: "utf8"
      })
      expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({ rows: 1_999, excluded: 1 })
    }
  })
)

it.live("a signal ends the wait for a pipe that nobody writes to", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(csvOf(2))
    const pipe = `${file}.pipe`
    execFileSync("mkfifo", [pipe])
    for (const args of [
      [pipe, "--campaign", "c"],
      [file, "--exclude", pipe]
    ]) {
      const { ended, kill } = yield* start(["run", ...args, "--dry-run", "--journal", journal])
      // Ends when the command has opened it, too.
      const writer = yield* Effect.promise(() => open(pipe, "w"))
      kill("SIGTERM")
      expect(yield* ended).toMatchObject({ code: 143 })
      yield* Effect.promise(() => writer.close())
    }
  }).pipe(onSandbox)
)

it.live(
  "output that a full disk does not take is told, and the exit code says it, though rows were sent: run again, it sends none",
  () =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(csvOf(2))
      const env = { ...(yield* sandboxSettings), main: commandFile, node: process.execPath }
      const script = `exec "$node" "$main" "$@" --journal '${journal}' > /dev/full`
      for (const args of [
        ["run", file, "--yes"],
        ["results", file]
      ]) {
        const ended = yield* Effect.promise(() =>
          runProgram("sh", ["-c", script, "sh", ...args], { env })
        )
        expect(ended.stderr).toContain(
          "The output could not be written (ENOSPC): a part is missing, which does not mean that nothing was sent\n"
        )
        expect(ended.code).toBe(1)
      }
      const again = yield* command(["run", file, "--yes", "--journal", journal])
      expect(again.events.at(-1)).toMatchObject({ event: "Ended", sent: 2, sent_now: 0 })
    }).pipe(onSandbox)
)
