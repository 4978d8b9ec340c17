import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { folder } from "../harness/TemporaryFolder.ts"
import { makeJournal, numberOf, onSandbox, start } from "../harness/Command.ts"

/** Too small for data that grows with the rows. */
const smallHeap = { NODE_OPTIONS: "--max-old-space-size=36" }

/** `ROWS=1000000` takes ten times as long. So many rows already need more than the heap, if they are kept. */
const count = Number(process.env["ROWS"] ?? 100_000)

const header = "recipient,message\n"

function* rows() {
  yield header
  for (let index = 0; index < count; index += 1000) {
    yield Array.from(
      { length: 1000 },
      (_, i) => `${numberOf(index + i)},"Hello ${index + i}, and how are you?"\n`
    ).join("")
  }
}

/** 72 MiB, which is twice the heap. */
function* longRow(beginning: string) {
  yield beginning
  const mebibyte = "x".repeat(1024 * 1024)
  for (let i = 0; i < 72; i++) yield mebibyte
  yield '"\n'
}

it.live(
  "any number of rows is read with a small heap",
  () =>
    Effect.gen(function* () {
      const journal = `${yield* folder}/journal.sqlite`
      yield* makeJournal(journal)
      const run = ["run", "-", "--campaign", "c", "--yes"]
      const sandbox = yield* Sandbox
      // The wrong token stops the campaign at the first row.
      const { ended } = yield* start(
        [...run, "--journal", journal, "--concurrency", "1"],
        { ...smallHeap, MESSAGING_TOPUP_TOKEN: "wrong" },
        rows()
      )
      const { code, events } = yield* ended
      expect(code).toBe(4)
      expect(events).toMatchObject([
        { event: "Totals", rows: count, invalid: 0 },
        { event: "Compared", to_send: count, segments: count },
        { event: "Settled" },
        { event: "Ended", state: "stopped", not_sent: count }
      ])
      expect(yield* sandbox.messages()).toEqual([])
    }).pipe(onSandbox),
  600_000
)

it.live(
  "a row that is longer than the heap is refused with the same heap",
  () =>
    Effect.gen(function* () {
      const args = ["run", "-", "--dry-run", "--campaign", "c"]
      const { ended } = yield* start(args, smallHeap, longRow(`${header}1,"`))
      expect(yield* ended).toMatchObject({
        code: 1,
        stderr:
          "stdin, line 2: a row is longer than 1 MiB, perhaps because a closing quote is missing; the rest of the file cannot be read\n"
      })
    }).pipe(onSandbox),
  600_000
)
