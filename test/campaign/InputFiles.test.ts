import { describe, expect, it } from "@effect/vitest"
import * as Template from "@messaging-topup/campaign/src/input/Template.ts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { read, rowsOf } from "../harness/campaign/Reading.ts"

const [first, second] = ["+15550000001", "+15550000002"]

/** The message of the error, which must be one line. */
const problemOf = (content: Buffer | string, options: Parameters<typeof read>[1] = {}) =>
  Effect.map(Effect.flip(read(content, options)), ({ isUsage, message }) => {
    expect(isUsage).toBe(true)
    expect(message).not.toMatch(/[\r\n]/)
    return message
  })

const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16()

const text = `recipient,message\r\n${first},"é 😀\r\nnew line"\r\n12,a\r\n${second},漢\r\n`

const encodings: Readonly<Record<string, Buffer>> = {
  "UTF-8": Buffer.from(text),
  "UTF-8 with a byte order mark": Buffer.from(`\ufeff${text}`),
  "UTF-16, little endian, with a byte order mark": Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16, big endian, with a byte order mark": bigEndian(`\ufeff${text}`)
}

describe("a file in", () => {
  it.live.each(Object.entries(encodings))("%s is read, in pieces of any size", ([, content]) =>
    Effect.gen(function* () {
      for (const size of [Infinity, 1, 2, 3, 5, 64]) {
        expect(yield* read(content, {}, size)).toEqual([
          { line: 2, recipient: first, message: "é 😀\r\nnew line" },
          { line: 4, field: "recipient", problem: "it has fewer than 5 digits" },
          { line: 5, recipient: second, message: "漢" }
        ])
      }
    })
  )

  it.live("Windows-1252 is read as such, in pieces of any size", () =>
    Effect.gen(function* () {
      const content = Buffer.from(`recipient,message\n${first},Caf\u00e9 5 \x80\n`, "latin1")
      for (const size of [Infinity, 1, 3]) {
        expect(yield* read(content, {}, size)).toMatchObject([{ message: "Café 5 €" }])
      }
    })
  )

  it.live.each<[what: string, content: Buffer]>([
    ["UTF-16 without a mark", Buffer.from(text, "utf16le")],
    ["a byte that Windows-1252 does not have", Buffer.from(`recipient\n\x81`, "latin1")],
    [
      "UTF-8 with a wrong byte in it",
      Buffer.concat([Buffer.from(`recipient,message\n${first},é`), Buffer.from([0xe9, 0x0a])])
    ]
  ])("%s is refused in one line", ([, content]) =>
    Effect.gen(function* () {
      expect(yield* problemOf(content)).toContain("save it as CSV UTF-8")
    })
  )

  it.live.each<[name: string, content: Buffer]>([
    [
      "half of a surrogate pair",
      Buffer.from(`\ufeffrecipient,message\n${first},\ud83d\n`, "utf16le")
    ],
    [
      "half of a character",
      Buffer.from(`\ufeffrecipient,message\n${first},a`, "utf16le").subarray(0, -1)
    ]
  ])("UTF-16 with %s is refused", ([, content]) =>
    Effect.gen(function* () {
      for (const size of [Infinity, 1]) {
        const { message } = yield* Effect.flip(read(content, {}, size))
        expect(message).toBe("list.csv: this is UTF-16LE with errors in it: save it as UTF-8")
      }
    })
  )
})

describe("a file that is no text is named, with what to do:", () => {
  it.live.each<[start: string, name: string]>([
    ["PK\u0003\u0004", "a workbook (xlsx or ods)"],
    ["\u00d0\u00cf\u0011\u00e0\u00a1\u00b1", "an old workbook (xls)"]
  ])("%j", ([start, name]) =>
    Effect.gen(function* () {
      const problem = yield* problemOf(
        Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(9)])
      )
      expect(problem).toContain(`list.csv: this is ${name}`)
      expect(problem).toContain("CSV UTF-8")
    })
  )
})

const separators = [",", ";", "\t", "|"]

describe("the separator is recognised", () => {
  it.live.each(separators)("from the header: %j", (separator) =>
    Effect.gen(function* () {
      const others = separators.filter((other) => other !== separator).join(" ")
      const lines = [
        ["Recipient ", ' "MESSAGE"'.trim()],
        [first, `"a${separator}b ${others}"`],
        [second, others]
      ]
      const content = `\n\r\n${lines.map((line) => line.join(separator)).join("\n")}`
      for (const size of [Infinity, 1]) {
        expect(yield* read(content, {}, size)).toEqual([
          { line: 4, recipient: first, message: `a${separator}b ${others}` },
          { line: 5, recipient: second, message: others }
        ])
      }
    })
  )

  it.live.each(["sep=;", '"sep=;"', "SEP=;"])("from a first line %s", (line) =>
    Effect.gen(function* () {
      const content = `${line}\r\nrecipient;message\r\n${first};"a,b"\r\n1;c\r\n`
      const rows = [
        { line: 3, recipient: first, message: "a,b" },
        { line: 4, field: "recipient", problem: "it has fewer than 5 digits" }
      ]
      for (const size of [Infinity, 1]) expect(yield* read(content, {}, size)).toEqual(rows)
    })
  )

  it.live("from the known names, not from what is frequent in other names", () =>
    Effect.gen(function* () {
      const content = `recipient;message;"Name, first, second, third"\n${first};a;b\n`
      expect(yield* read(content, { ignoreColumns: true })).toMatchObject([{ message: "a" }])
    })
  )
})

describe("the header", () => {
  it.live("has names in any case, with blanks around them", () =>
    Effect.gen(function* () {
      const content = ` RECIPIENT ,Message\t, Sender_ID \n${first},a,b\n`
      expect(yield* read(content)).toMatchObject([{ message: "a" }])
      expect(yield* problemOf("Recipient,recipient,message\n")).toContain(
        "the column recipient occurs twice"
      )
    })
  )

  it.live.each([
    ["phone,text", '"phone" (give --recipient-column, or rename it to recipient), "text" (give'],
    ["number,message", '"number" (give --recipient-column, or rename it to recipient): give'],
    ["recipient,message,Sender ID", 'unknown column "Sender ID" (did you mean sender_id?): give'],
    ["recipient,message,schedule_time", '"schedule_time" (did you mean scheduled_time?): give']
  ])("says what was probably meant: %s", ([header, problem]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read(`${header}\n`))
      expect(message).toContain(problem)
    })
  )

  it.live("has all its problems in one error", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read("phone,sms,key,key,a\n"))
      expect(message.split("\n")).toEqual([
        "list.csv, line 1: the column key occurs twice: remove one",
        expect.stringContaining('unknown columns "phone"'),
        "list.csv, line 1: the column recipient is missing, or give --recipient-column",
        "list.csv, line 1: the column message is missing, or give --template"
      ])
    })
  )

  it.live("may name the recipient and the key as --recipient-column and --key-column say", () =>
    Effect.gen(function* () {
      const content = `Phone,Order No,message\n${first},17,Your order {order no}\n`
      const options = { recipientColumn: "phone", keyColumn: "order no" }
      const template = Template.make("Order {Order No}")
      if (typeof template === "string") throw new Error(template)
      const some = rowsOf(content, { ...options, ignoreColumns: true, template })
      const [row] = yield* Stream.runCollect(some)
      expect(row).toMatchObject({
        row: { key: "17", request: { recipient: first, message: "Order 17" } }
      })
      const { message } = yield* Effect.flip(read("recipient,message\n", options))
      expect(message).toContain("--recipient-column: the file has no column of this name")
      expect(message).toContain("--key-column: the file has no column of this name")
    })
  )

  it.live("may name one column for both", () =>
    Effect.gen(function* () {
      const options = { recipientColumn: "phone", keyColumn: "phone" }
      const [row] = yield* Stream.runCollect(rowsOf(`phone,message\n${first},a\n`, options))
      expect(row).toMatchObject({ row: { key: first, request: { recipient: first } } })
    })
  )

  it.live.each([
    ["unknown", (index: number) => `c${index}`],
    ["equal", () => "recipient"],
    ["empty", () => ""],
    ["long", (index: number) => `${index} ${"x".repeat(8)}`]
  ] as const)("with 100,000 columns that are %s gives one short line", ([, name]) =>
    Effect.gen(function* () {
      const header = `recipient,message,${Array.from({ length: 100_000 }, (_, i) => name(i)).join(",")},phone`
      // Work that grows with the square of the columns exceeds the time limit of a test.
      const { message } = yield* Effect.flip(read(`${header}\n`))
      expect(message.split("\n").length).toBeLessThan(4)
      expect(message.length).toBeLessThan(700)
    })
  )

  it.live("may have more columns than a row, if the rest is empty, and the other way around", () =>
    Effect.gen(function* () {
      const rows = `${first},a\n${second},b,\n${first},c,,,\n${second},d,e\n${first}\n`
      for (const header of ["recipient,message", "recipient,message,", "recipient,message,,,"]) {
        const [a, b, c, d, e] = yield* read(`${header}\n${rows}`)
        expect([a, b, c]).toMatchObject([{ message: "a" }, { message: "b" }, { message: "c" }])
        expect(d).toMatchObject({ problem: expect.stringContaining("it has 3 cells") })
        expect(e).toMatchObject({ problem: expect.stringContaining("it has 1 cell,") })
      }
    })
  )
})

describe("a placeholder that is not filled", () => {
  it.live.each(["Hello {name}", "Hello {{name}}", "{{ First Name }}!", "${n}", "{0}", "{имя}"])(
    "is refused with its line: %s",
    (message) =>
      Effect.gen(function* () {
        const rows = yield* read(`recipient,message\n${first},${message}\n${second},Hello\n`)
        expect(rows).toMatchObject([
          { line: 2, field: "message", problem: expect.stringContaining("give --template") },
          { message: "Hello" }
        ])
      })
  )

  it.live.each(['{"a": 1}', "a { b", "{}", "} {", `{${"x".repeat(99)}}`])(
    "is not in %s",
    (message) =>
      Effect.gen(function* () {
        const cell = message.replaceAll('"', '""')
        expect(yield* read(`recipient,message\n${first},"${cell}"\n`)).toMatchObject([{ message }])
      })
  )

  it.live("is looked for in linear time", () =>
    Effect.gen(function* () {
      const message = `${"{".repeat(500_000)}${"{ ".repeat(100_000)}${"{{a".repeat(50_000)}`
      // Work that grows with the square of the columns exceeds the time limit of a test.
      expect(yield* read(`recipient,message\n${first},"${message}"\n`)).toMatchObject([{ message }])
    })
  )
})
