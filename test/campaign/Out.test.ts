/**
 * The file that `--out` names is written whole or not at all, and never over what the command reads.
 */
import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import {
  closeSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { alone, command, csvOf, fileOf, onSandbox } from "../harness/Command.ts"

/** Results that a spreadsheet saved. */
const old = '"recipient";"line";"outcome";"message_id";"reason"\r\n'

/** A list that was sent, in a folder with its stop list and its journal. */
const sent = Effect.gen(function* () {
  const { file, journal } = yield* fileOf(csvOf(2))
  const path = dirname(file)
  const stop = join(path, "stop.txt")
  writeFileSync(stop, "10001\n")
  yield* command(["run", file, "--yes", "--journal", journal])
  return { file, journal, path, stop }
})

it.live(
  "--out is refused over the list, the stop list and the journal, however they are named",
  () =>
    Effect.gen(function* () {
      const { file, journal, path, stop } = yield* sent
      const stored = join(path, "journal.sqlite")
      const named = [file, stop, stored].map((of, index) => {
        const [soft, hard] = [join(path, `soft${index}`), join(path, `hard${index}`)]
        symlinkSync(of, soft)
        linkSync(of, hard)
        return [of, soft, hard]
      })
      const targets = [...named.flat(), join(path, ".", "journal.sqlite-journal")]
      const before = readdirSync(path).map((name) => [name, readFileSync(join(path, name), "utf8")])
      for (const name of ["results", "report"]) {
        for (const out of targets) {
          const args = [name, file, "--exclude", stop, "--journal", journal, "--out", out]
          expect(yield* alone(args)).toMatchObject({
            code: 2,
            stdout: "",
            stderr: expect.stringMatching(
              /^--out: \S+ is the (list|stop list|journal), .*another file\n$/
            )
          })
        }
      }
      expect(
        readdirSync(path).map((name) => [name, readFileSync(join(path, name), "utf8")])
      ).toEqual(before)
    }).pipe(onSandbox)
)

it.live("--out is refused over what the command did not write, and not over an empty file", () =>
  Effect.gen(function* () {
    const { file, journal, path } = yield* sent
    const [page, results] = [join(path, "page.html"), join(path, "results.csv")]
    const write = (name: string, out: string) =>
      alone([name, file, "--journal", journal, "--out", out])
    for (const [name, out, other] of [
      ["results", results, page],
      ["report", page, results]
    ] as const) {
      writeFileSync(out, "")
      writeFileSync(other, csvOf(1))
      expect(yield* write(name, out)).toMatchObject({ code: 0 })
      expect(yield* write(name, out)).toMatchObject({ code: 0 })
      expect(yield* write(name, other)).toMatchObject({
        code: 2,
        stderr: `--out: ${other} is a file that ${name} did not write, and would be lost: give another file\n`
      })
      expect(readFileSync(other, "utf8")).toBe(csvOf(1))
    }
    expect(yield* write("results", page)).toMatchObject({ code: 2 })
  }).pipe(onSandbox)
)

it.live("--out into a folder that is not there, or onto a folder, says so with the path", () =>
  Effect.gen(function* () {
    const { file, journal, path } = yield* sent
    for (const [name, why] of [
      ["missing/results.csv", "its folder does not exist: create it, or give another file"],
      ["", "it is a folder: give a file"]
    ] as const) {
      const out = join(path, name)
      expect(yield* alone(["results", file, "--journal", journal, "--out", out])).toMatchObject({
        code: 1,
        stderr: `--out: ${out} cannot be written: ${why}\n`
      })
    }
  }).pipe(onSandbox)
)

it.live("a command that fails leaves the old file, and no half one", () =>
  Effect.gen(function* () {
    const { file, journal, path } = yield* sent
    writeFileSync(file, `${csvOf(5_000)}10001,${"x".repeat(1024 * 1024)}\n`)
    const out = join(path, "results.csv")
    const args = ["results", file, "--journal", journal, "--out"]
    writeFileSync(out, old)
    const names = readdirSync(path)
    expect(yield* alone([...args, out])).toMatchObject({ code: 1 })
    expect(yield* alone([...args, join(path, "new.csv")])).toMatchObject({ code: 1 })
    expect(readFileSync(out, "utf8")).toBe(old)
    expect(readdirSync(path)).toEqual(names)
  }).pipe(onSandbox)
)

it.live("a command that is stopped leaves the old file, and no half one", () =>
  Effect.gen(function* () {
    const { file, journal, path } = yield* sent
    yield* (yield* Sandbox).setFault({ fault: "NoResponse" })
    const out = join(path, "results.csv")
    writeFileSync(out, old)
    const names = readdirSync(path)
    const args = ["results", file, "--statuses", "--journal", journal, "--out", out]
    const { code } = yield* command(args, { stop: () => Effect.sleep("300 millis") })
    expect(code).toBe(130)
    expect(readFileSync(out, "utf8")).toBe(old)
    expect(readdirSync(path)).toEqual(names)
  }).pipe(onSandbox)
)

it.live("--out follows a link to a file, and writes to what is no file", () =>
  Effect.gen(function* () {
    const { file, journal, path } = yield* sent
    const [out, link] = [join(path, "results.csv"), join(path, "link.csv")]
    writeFileSync(out, old, { mode: 0o644 })
    symlinkSync(out, link)
    const args = ["results", file, "--journal", journal, "--out"]
    expect(yield* alone([...args, link])).toMatchObject({ code: 0 })
    expect(readFileSync(out, "utf8")).toBe((yield* alone(args.slice(0, -1))).stdout)
    expect(statSync(out).mode & 0o777).toBe(0o600)
    // A pipe of this test: whatever the command did to a device would stay.
    const pipe = join(path, "pipe")
    execFileSync("mkfifo", ["-m", "644", pipe])
    const reader = openSync(pipe, "r+")
    expect(yield* alone([...args, pipe])).toMatchObject({ code: 0 })
    const read = Buffer.alloc(1024)
    expect(read.toString("utf8", 0, readSync(reader, read))).toBe(readFileSync(out, "utf8"))
    closeSync(reader)
    expect(statSync(pipe).mode & 0o777).toBe(0o644)
  }).pipe(onSandbox)
)
