/**
 * What the transcripts of files cannot show: long files, arbitrary templates, and keys.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { read, rowsOf, templateOf } from "../harness/campaign/Reading.ts"
import { runs } from "../harness/Runs.ts"

const [first, second] = ["+15550000001", "+15550000002"]

it.live.each([
  ["unknown", (index: number) => `c${index}`],
  ["equal", () => "recipient"],
  ["empty", () => ""],
  ["long", (index: number) => `${index} ${"x".repeat(8)}`]
] as const)("a header with 100,000 columns that are %s gives one short line", ([, name]) =>
  Effect.gen(function* () {
    const header = `recipient,message,${Array.from({ length: 100_000 }, (_, i) => name(i)).join(",")},phone`
    // Work that grows with the square of the columns exceeds the time limit of a test.
    const { message } = yield* Effect.flip(read(`${header}\n`))
    expect(message.split("\n").length).toBeLessThan(4)
    expect(message.length).toBeLessThan(700)
  })
)

it.live("a placeholder that is not filled is looked for in linear time", () =>
  Effect.gen(function* () {
    const message = `${"{".repeat(500_000)}${"{ ".repeat(100_000)}${"{{a".repeat(50_000)}`
    // Work that grows with the square of the columns exceeds the time limit of a test.
    expect(yield* read(`recipient,message\n${first},"${message}"\n`)).toMatchObject([{ message }])
  })
)

it.live("a text that would be too long is refused before it is made", () =>
  Effect.gen(function* () {
    const template = templateOf("{name}".repeat(20_000))
    const content = `recipient,name\n${first},${"x".repeat(1_000_000)}\n${second},y\n`
    expect(yield* read(content, { template })).toMatchObject([
      { line: 2, field: "name", problem: "it makes the text longer than 1 MiB" },
      { line: 3, message: "y".repeat(20_000) }
    ])
  })
)

it.live.each([",", ";", "\t", "|"])(
  "every row is read as it was written, with %j between cells",
  (mark) =>
    Effect.gen(function* () {
      const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
      const unit = fc.constantFrom("a", "\u{1f600}", '"', ",", ";", "\t", "|", "\n", "\r", "\r\n")
      const message = fc.array(unit, { minLength: 1 }).map((units) => `a${units.join("")}`)
      const rows = fc.array(fc.tuple(message, fc.boolean()), { minLength: 1, maxLength: 4 })
      const property = fc.asyncProperty(
        rows,
        fc.constantFrom("\n", "\r", "\r\n"),
        fc.integer({ min: 1, max: 9 }),
        (written, lineEnd, size) => {
          const cells = written.map(([text, isPlain]) =>
            isPlain && !/["\r\n,;\t|]/.test(text) ? text : quoted(text)
          )
          const lines = cells.map((cell, index) => [100_000 + index, cell].join(mark))
          const content = [["recipient", "message"].join(mark), ...lines].join(lineEnd)
          return Effect.runPromise(read(content, {}, size)).then((found) => {
            let line = 2
            const expected = written.map(([text]) => {
              const row = { line, message: text }
              line += 1 + (text.match(/\r\n|\r|\n/g)?.length ?? 0)
              return row
            })
            expect(found).toMatchObject(expected)
          })
        }
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: runs(500) }))
    })
)

it.live("a second row to a recipient is found among thousands", () =>
  Effect.gen(function* () {
    const lines = Array.from({ length: 3_000 }, (_, index) => `${100_000 + index},a\n`).join("")
    const found = yield* read(`recipient,message\n${lines}${lines}`, { allowRepeats: false })
    const isInvalid = found.map(({ problem }) => problem !== undefined)
    expect(isInvalid.indexOf(true)).toBe(3_000)
    expect(isInvalid.lastIndexOf(false)).toBe(2_999)
  })
)

it("every cell is where its column stands, whatever it contains", () => {
  const name = fc.stringMatching(/^[a-z][a-z ]{0,8}[a-z]$/)
  const literal = fc.string().map((text) => text.replace(/[{}]/g, ""))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(literal, name, fc.boolean()), { minLength: 1 }),
      fc.dictionary(name, fc.string({ minLength: 1 }), { maxKeys: 5 }),
      (pieces, some) => {
        const cells = new Map(pieces.map(([, column]) => [column, some[column] ?? `{${column}}`]))
        const written = pieces.map(([text, column, isDouble]) =>
          isDouble ? `${text}{{${column}}}` : `${text}{ ${column.toUpperCase()} }`
        )
        const filled = pieces.map(([text, column]) => text + (cells.get(column) ?? ""))
        const template = templateOf(written.join(""))
        expect(template.columns).toEqual(new Set(cells.keys()))
        expect(template.render(cells)).toEqual({ text: filled.join("") })
      }
    ),
    { numRuns: runs(2_000) }
  )
})

it.live("the key of a row is the cell of --key-column, also if that is its recipient", () =>
  Effect.gen(function* () {
    const content = `phone,order no,message\n${first},17,a\n`
    for (const [keyColumn, key] of [
      ["order no", "17"],
      ["phone", first]
    ] as const) {
      const options = { recipientColumn: "phone", keyColumn, ignoreColumns: true }
      const [row] = yield* Stream.runCollect(rowsOf(content, options))
      expect(row).toMatchObject({ row: { key, request: { recipient: first } } })
    }
  })
)

it.live("each row of a trial goes to one number", () =>
  Effect.gen(function* () {
    const to = "+15559999999"
    const content = "recipient,message\n+15550000001,b\n+15550000002,b\n"
    const rows = yield* Stream.runCollect(rowsOf(content, { to }))
    const sends = rows.flatMap((row) => (row._tag === "Row" ? [row.row] : []))
    expect(sends.map(({ request }) => request.recipient)).toEqual([to, to])
    expect(new Set(sends.map(({ key }) => key)).size).toBe(2)
  })
)
