import { expect, it } from "@effect/vitest"
import * as Template from "@messaging-topup/campaign/src/input/Template.ts"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { runs } from "../harness/Runs.ts"
import { read } from "../harness/campaign/Reading.ts"

const templateOf = (text: string): Template.Template => {
  const template = Template.make(text)
  if (typeof template === "string") throw new Error(template)
  return template
}

const [first, second] = ["+15550000001", "+15550000002"]

/** The file has one row for each list of cells, in quotes. */
const csvOf = (header: string, ...rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [header, ...rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))]
    .map((line) => `${line}\n`)
    .join("")

it.live("a template is filled from the columns of the file", () =>
  Effect.gen(function* () {
    const template = templateOf("Hello {name}, {{ Amount due }} are due. {name}!")
    const content = csvOf(
      "Recipient,NAME,amount due",
      [first, "Ana", "$1"],
      [second, "{name}", "{"]
    )
    expect(yield* read(content, { template })).toEqual([
      { line: 2, recipient: first, message: "Hello Ana, $1 are due. Ana!" },
      // What a cell contains is not filled again.
      { line: 3, recipient: second, message: "Hello {name}, { are due. {name}!" }
    ])
  })
)

it.live("a row whose cell is empty is refused with its line", () =>
  Effect.gen(function* () {
    const template = templateOf("Hello {name}")
    const content = csvOf("recipient,name", [first, "Ana"], [second, ""], ["1", "Eve"])
    const problem = "it is empty, and the template uses it"
    expect(yield* read(content, { template })).toMatchObject([
      { message: "Hello Ana" },
      { line: 3, field: "name", problem },
      { line: 4, field: "recipient" }
    ])
  })
)

it.live.each<[header: string, problem: string]>([
  ["recipient,nmae", 'unknown column "nmae": give --ignore-columns, or rename it'],
  ["recipient", 'the column "name", which the template uses, is missing'],
  ["phone,name", 'unknown column "phone" (give --recipient-column'],
  ["recipient,name,age", 'unknown column "age"'],
  ["recipient,name,message", "the template does not use the column message: use {message} in it"],
  ["recipient,name,name", "the column name occurs twice"]
])("the header %s fails: %s", ([header, problem]) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(
      read(`${header}\n`, { template: templateOf("Hello {name}") })
    )
    expect(message).toContain(`list.csv, line 1: ${problem}`)
  })
)

it.live("--ignore-columns ignores the columns that the template does not use", () =>
  Effect.gen(function* () {
    const options = { template: templateOf("Hello {name}"), ignoreColumns: true }
    const content = csvOf("recipient,message,name,age", [first, "x {y}", "Ana", "9"])
    expect(yield* read(content, options)).toMatchObject([{ message: "Hello Ana" }])
    const { message } = yield* Effect.flip(read("recipient,nmae\n", options))
    expect(message).toContain('the column "name", which the template uses, is missing')
  })
)

it.live("a template may use every column, or none", () =>
  Effect.gen(function* () {
    const content = csvOf("recipient,message,key", [first, "Hi {there}", "k"])
    const all = templateOf("{message} {key} {recipient}")
    expect(yield* read(content, { template: all })).toMatchObject([
      { message: `Hi {there} k ${first}` }
    ])
    expect(
      yield* read("recipient\n+15550000001\n", { template: templateOf("Open at 9") })
    ).toMatchObject([{ message: "Open at 9" }])
  })
)

it.live("a text that would be too long is refused before it is made", () =>
  Effect.gen(function* () {
    const template = templateOf("{name}".repeat(20_000))
    const content = csvOf("recipient,name", [first, "x".repeat(1_000_000)], [second, "y"])
    expect(yield* read(content, { template })).toMatchObject([
      { line: 2, field: "name", problem: "it makes the text longer than 1 MiB" },
      { line: 3, message: "y".repeat(20_000) }
    ])
  })
)

it.each([
  ["", "it is empty"],
  [" \n", "it is empty"],
  ["Hello {name", "a brace is missing"],
  ["Hello name}", "a brace is missing"],
  ["Hello {{name}", "a brace is missing"],
  ["Hello {name}}", "a brace is missing"],
  ["Hello {}", "a column has no name"],
  ["Hello {{ }}", "a column has no name"]
])("the template %j is refused: %s", (text, problem) => {
  expect(Template.make(text)).toContain(problem)
})

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
