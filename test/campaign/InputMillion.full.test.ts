import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { folder } from "../journal/support/Files.ts"
import { numberOf, onSandbox, start } from "./support/Command.ts"

/** Too small for data that grows with the rows. */
const smallHeap = { NODE_OPTIONS: "--max-old-space-size=64" }

const header = "recipient,message\n"

function* rows(count: number) {
  yield header
  for (let index = 0; index < count; index += 1000) {
    yield Array.from(
      { length: 1000 },
      (_, i) => `${numberOf(index + i)},"Hello ${index + i}, and how are you?"\n`
    ).join("")
  }
}

/** 1 GiB. */
function* longRow(beginning: string) {
  yield beginning
  const mebibyte = "x".repeat(1024 * 1024)
  for (let i = 0; i < 1024; i++) yield mebibyte
  yield '"\n'
}

it.live(
  "a million rows are loaded with a small heap",
  () =>
    Effect.gen(function* () {
      const journal = `sqlite:${yield* folder}/journal.sqlite`
      const sandbox = yield* Sandbox
      // The wrong token pauses the campaign at the first row.
      const { ended } = yield* start(
        [
          "run",
          "-",
          "--format",
          "csv",
          "--campaign",
          "c",
          "--yes",
          "--journal",
          journal,
          "--concurrency",
          "1"
        ],
        { ...smallHeap, MESSAGING_TOPUP_TOKEN: "wrong" },
        rows(1_000_000)
      )
      const { code, events } = yield* ended
      expect(code).toBe(4)
      expect(events).toMatchObject([
        { event: "Totals", rows: 1_000_000, invalid: 0, segments: 1_000_000, repeated: 0 },
        { event: "Compared", new: 1_000_000, segments: 1_000_000 },
        { event: "Settled" },
        { event: "Stopped", reason: "AuthenticationFailed" },
        { event: "Ended", state: "paused", counts: { pending: 1_000_000 } }
      ])
      expect(yield* sandbox.messages()).toEqual([])
    }).pipe(onSandbox),
  600_000
)

it.live(
  "a row of 1 GiB is refused with the same heap",
  () =>
    Effect.gen(function* () {
      const preview = Effect.fnUntraced(function* (format: string, row: string) {
        const args = ["preview", "-", "--format", format]
        const { ended } = yield* start(args, smallHeap, longRow(row))
        return yield* ended
      })
      expect(yield* preview("csv", `${header}1,"`)).toMatchObject({
        code: 1,
        stderr:
          "stdin, line 2: a row is longer than 1 MiB, perhaps because a closing quote is missing; the rest of the file cannot be read\n"
      })
      expect(yield* preview("ndjson", '{"recipient":"1","message":"')).toMatchObject({
        code: 3,
        stderr: "stdin, line 1: it is longer than 1 MiB\n"
      })
    }).pipe(onSandbox),
  600_000
)
