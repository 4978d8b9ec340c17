/** A result can be a list: what `results` writes of a list is read as the list was. */
import { expect, it } from "@effect/vitest"
import { unmeant } from "@messaging-topup/core/internal"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { command, fileOf, numberOf, onSandbox, texts } from "../harness/Command.ts"
import { runs } from "../harness/Runs.ts"

const anyCell = fc
  .string({ unit: fc.constantFrom(..."''==+-@\t\r\n\uff1d\uff0b\uff0d\uff20 1a\""), maxLength: 8 })
  .filter((cell) => cell.trim() !== "" && unmeant(cell) === undefined)

/** The sandbox keeps 10,000 SMS, and each cell is sent twice. */
const most = 4_900

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

it.live(
  "every cell that results writes is read as it was, sent as it was, and written again as it was",
  () =>
    onSandbox(
      Effect.gen(function* () {
        const edge = [
          "@Anna, come",
          "-20%",
          "'@Anna",
          "''=1",
          "\n=1",
          "＝1",
          "'+1555",
          "+1 555",
          "'"
        ]
        const cells = [...edge, ...fc.sample(anyCell, Math.min(most, runs(1_000)))]
        const rows = cells.map((cell, index) => `${numberOf(index)},${quoted(cell)}\n`)
        const { file, journal } = yield* fileOf(`recipient,@text\n${rows.join("")}`)
        const result = join(dirname(file), "results.csv")
        const again = join(dirname(file), "again.csv")
        const reading = ["--template", "{@text}", "--journal", journal]
        const sent = ["--outcome", "sent", "--ignore-columns", "--campaign", "again"]
        expect(yield* command(["run", file, "--yes", ...reading])).toMatchObject({ code: 0 })
        yield* command(["results", file, "--out", result, ...reading])
        const isRun = yield* command([
          "run",
          result,
          "--yes",
          "--allow-repeats",
          ...sent,
          ...reading
        ])
        expect(isRun).toMatchObject({ code: 0 })
        yield* command(["results", result, "--out", again, ...sent, ...reading])
        expect((yield* texts).toSorted()).toEqual([...cells, ...cells].toSorted())
        // A spreadsheet would run these, but no number with a sign, and no apostrophe is taken for another.
        const [written, rewritten] = [result, again].map((path) => readFileSync(path, "utf8"))
        expect(written).toContain(`recipient,'@text,line`)
        expect(written).not.toMatch(/,"?(?!-\d+(?: \d+)*,)[=@\uff1d\uff0b\uff0d\uff20-]/)
        for (const cell of edge.slice(0, 6)) expect(written).toContain(`'${cell}`)
        const own = (text = "") =>
          Array.from(text.matchAll(/^\+1555\d+7,("(?:[^"]|"")*"|[^,]*),/gm), ([all]) => all)
        expect(own(written)).toHaveLength(cells.length)
        expect(own(rewritten)).toEqual(own(written))
      })
    )
)

it.live(
  "a spreadsheet gets results with a byte order mark, and a program that gave the rows without",
  () =>
    onSandbox(
      Effect.gen(function* () {
        const list = `key,recipient,message\norder-1,${numberOf(0)},Grüße\n`
        const { file, journal } = yield* fileOf(list)
        const result = join(dirname(file), "results.csv")
        const results = (name: string, ...more: ReadonlyArray<string>) =>
          command(["results", name, "--campaign", "c", "--journal", journal, ...more], {
            stdin: [list]
          })
        yield* command(["run", file, "--yes", "--campaign", "c", "--journal", journal])
        expect((yield* results("-")).stdout).toMatch(/^key,recipient/)
        expect((yield* results(file)).stdout).toMatch(/^\ufeffkey,recipient/)
        yield* results("-", "--out", result)
        expect(readFileSync(result, "utf8")).toMatch(/^\ufeffkey,recipient/)
      })
    )
)
