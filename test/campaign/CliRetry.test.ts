import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { alone, command, fileOf, numberOf, onSandbox, texts } from "./support/Command.ts"

const header = "recipient,message,key\n"

/** Row a was sent, b and c were rejected with 404, d with 400, and e is unknown. */
const loaded = Effect.gen(function* () {
  const { file, journal } = yield* fileOf("")
  const { clearFault, setFault } = yield* Sandbox
  const lines = Array.from("abcde", (key, index) => `${numberOf(index)},Hello ${key},${key}\n`)
  for (const [count, status] of [
    [1, undefined],
    [3, 404],
    [4, 400],
    [5, 500]
  ] as const) {
    writeFileSync(file, header + lines.slice(0, count).join(""))
    const error = { status, title: "Wrong", detail: "" }
    const body = JSON.stringify({ success: false, error })
    if (status !== undefined) yield* setFault({ fault: "Response", status, body })
    yield* command(["run", file, "--yes", "--journal", journal])
  }
  yield* clearFault
  const args = ["--campaign", "rows", "--journal", journal]
  const retry = (...more: ReadonlyArray<string>) => ["retry", "--rejected", ...args, ...more]
  const statusOf = Effect.map(alone(["status", ...args]), ({ events }) => events[0]?.["counts"])
  return { args, journal, retry, statusOf }
})

describe("retry --rejected", () => {
  it.live("shows how many rows each reason has, asks, and says how to send them", () =>
    Effect.gen(function* () {
      const { args, journal, retry, statusOf } = yield* loaded
      const no = yield* alone(retry(), { columns: 80, stdin: ["n\n"] })
      expect(no.code).toBe(1)
      expect(no.stdout).toBe("Rejected:\n  NotFound 404        2\n  InvalidRequest 400  1\n")
      expect(no.stderr).toBe("Take 3 rows up again? [y/N] Nothing was changed\n")
      expect(yield* statusOf).toMatchObject({ rejected: 3, pending: 0 })
      const yes = yield* alone(retry(), { columns: 80, stdin: ["y\n"] })
      expect(yes).toMatchObject({
        code: 0,
        stderr: `Take 3 rows up again? [y/N] Send them: npx messaging-topup-campaign resume --campaign rows --journal ${journal}\n`
      })
      expect(yes.stdout).toContain("3 rows pending again\n")
      expect(yield* statusOf).toMatchObject({ rejected: 0, pending: 3, unknown: 1, sent: 1 })
      expect(yield* texts).toEqual(["Hello a"])
      yield* command(["resume", ...args])
      expect((yield* texts).toSorted()).toEqual(["Hello a", "Hello b", "Hello c", "Hello d"])
    }).pipe(onSandbox)
  )

  it.live("chooses rows by reason, line, key or file", () =>
    Effect.gen(function* () {
      const { retry, statusOf } = yield* loaded
      expect(yield* alone(retry("--yes", "--reason", "NotFound", "--line", "3"))).toMatchObject({
        code: 0,
        events: [
          { event: "Rejected", rows: 1, reasons: { "NotFound 404": 1 } },
          { event: "Retried", rows: 1, refused: 0 }
        ]
      })
      // A row of unknown outcome is no rejected row.
      const both = yield* alone(retry("--yes", "--key", "d", "--key", "e"))
      expect(both).toMatchObject({ code: 1, events: [{ rows: 1 }, { rows: 1 }] })
      expect(both.stderr).toContain("1 key without a rejected row: nothing changed there\n")
      expect(yield* statusOf).toMatchObject({ rejected: 1, pending: 2, unknown: 1, sent: 1 })
    }).pipe(onSandbox)
  )

  it.live("says so if no row is chosen, or the campaign is cancelled", () =>
    Effect.gen(function* () {
      const { args, retry, statusOf } = yield* loaded
      const none = yield* alone(retry("--reason", "Misspelled"), { columns: 80, stdin: ["y\n"] })
      expect(none).toMatchObject({
        code: 1,
        stdout: "",
        stderr:
          "No rejected row was chosen, and nothing was changed\n1 reason without a rejected row: nothing changed there\n"
      })
      yield* alone(["cancel", "--yes", ...args])
      const cancelled = yield* alone(retry("--yes"))
      expect(cancelled.code).toBe(1)
      expect(cancelled.stderr).toBe(
        'Campaign "rows" is cancelled, and its rows are not sent again: send them as another campaign\n'
      )
      expect(yield* statusOf).toMatchObject({ rejected: 3, pending: 0 })
      const unclear = yield* alone(["retry", "--yes", ...args])
      expect(unclear.code).toBe(2)
      expect(unclear.stderr).toContain("give --rejected")
      expect(yield* alone(retry())).toMatchObject({ code: 2 })
    }).pipe(onSandbox)
  )
})
