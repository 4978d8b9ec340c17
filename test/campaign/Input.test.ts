/**
 * What the transcripts of files cannot show: long files, arbitrary templates, and keys.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import * as StopList from "messaging-topup/src/input/StopList.ts"
import { read, rowsOf, sourceOf, templateOf } from "../harness/campaign/Reading.ts"
import { command, fileOf, onSandbox, texts } from "../harness/Command.ts"
import { isFull, runs } from "../harness/Runs.ts"

const [first, second] = ["+15550000001", "+15550000002"]

describe.skipIf(isFull)("a header with 100,000 columns", () => {
  it.live.each([
    ["unknown", (index: number) => `c${index}`],
    ["equal", () => "recipient"],
    ["empty", () => ""],
    ["long", (index: number) => `${index} ${"x".repeat(8)}`]
  ] as const)("that are %s gives one short line", ([, name]) =>
    Effect.gen(function* () {
      const header = `recipient,message,${Array.from({ length: 100_000 }, (_, i) => name(i)).join(",")},phone`
      // Work that grows with the square of the columns exceeds the time limit of a test.
      const { message } = yield* Effect.flip(read(`${header}\n`))
      expect(message.split("\n").length).toBeLessThan(4)
      expect(message.length).toBeLessThan(700)
    })
  )
})

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

/** So much is decoded at once. */
const window = 64 * 1024

/** The beginning of a file, with a row that is so long that the window ends so many bytes after it. */
const beginning = (header: string, mark: string, lineEnd: string, after: number): string => {
  const [before, end] = [`${header}${lineEnd}10000${mark}`, lineEnd]
  return `${before}${"x".repeat(window - before.length - end.length - after)}${end}`
}

/** Writes a row as RFC 4180 has it. */
const csvOf = (cells: ReadonlyArray<string>, mark = ",", isQuoted = false): string =>
  cells
    .map((cell) =>
      isQuoted || /["\r\n]/.test(cell) || cell.includes(mark)
        ? `"${cell.replaceAll('"', '""')}"`
        : cell
    )
    .join(mark)

const lineEnds = fc.constantFrom("\n", "\r", "\r\n")

it.live.each([",", ";", "\t", "|"])(
  "every row is read as it was written, with %j between cells",
  (mark) =>
    Effect.gen(function* () {
      const unit = fc.constantFrom(...'a \u{1f600}",;\t|\n\r', "\r\n")
      const units = fc.array(unit, { maxLength: 6 }).map((some) => some.join(""))
      const message = fc.tuple(units, units).map(([before, after]) => `${before}a${after}`)
      const rows = fc.array(fc.tuple(message, fc.boolean()), { minLength: 1, maxLength: 4 })
      const property = fc.asyncProperty(
        rows,
        lineEnds,
        fc.integer({ min: 0, max: 40 }),
        (some, lineEnd, after) => {
          const begin = beginning(csvOf(["recipient", "message"], mark), mark, lineEnd, after)
          const lines = some.map(([text, isQuoted], index) =>
            csvOf([`${100_000 + index}`, text], mark, isQuoted)
          )
          return Effect.runPromise(read(begin + lines.join(lineEnd))).then((found) => {
            // As a spreadsheet numbers rows, whatever their texts have.
            const expected = some.map(([text], index) => ({ line: 3 + index, message: text }))
            expect(found.slice(1)).toMatchObject(expected)
          })
        }
      )
      yield* Effect.promise(() => fc.assert(property, { numRuns: runs(500) }))
    })
)

const outcomeOf = (content: string) =>
  Effect.runPromise(
    Effect.match(read(content, { ignoreColumns: true }), {
      onSuccess: (rows) => ({ rows, stops: undefined }),
      onFailure: ({ line, problems }) => ({ rows: [], stops: { line, problems } })
    })
  )

it.live("any file is read the same, wherever a window of it ends", () =>
  Effect.gen(function* () {
    const units = ["a", "b", ",", ",", '"', '""', "\n", "\r\n", "\r", "10001", "10002,x,"]
    const more = [" ", "\u{1f600}", '","', '",\n"']
    const text = fc.array(fc.constantFrom(...units, ...more), { minLength: 1, maxLength: 18 })
    const property = fc.asyncProperty(text, fc.integer({ min: 0, max: 40 }), (some, after) => {
      const begun = (at: number) =>
        outcomeOf(beginning("recipient,message,note", ",", ",\n", at) + some.join(""))
      return Promise.all([begun(1000), begun(after)]).then(([whole, cut]) => {
        expect(cut.stops).toEqual(whole.stops)
        expect(cut.rows.slice(1)).toEqual(whole.rows.slice(1))
      })
    })
    yield* Effect.promise(() => fc.assert(property, { numRuns: runs(3_000) }))
  })
)

const word = fc.constantFrom("Hello", "your order", "5 pm", "room 12", "0800 100 200", "Bye")
const join = fc.constantFrom(" ", " ", ", ", "\n", '"', ' "x" ', "; ", ",\n")

/** People with their texts, and the list of them that a correct program writes. */
const anyList = fc
  .record({
    isTextFirst: fc.boolean(),
    note: fc.constantFrom(undefined, "", "a, b", 'said "no"', "one\ntwo"),
    some: fc.array(fc.tuple(word, fc.array(fc.tuple(join, word), { maxLength: 4 })), {
      minLength: 3,
      maxLength: 8
    }),
    isQuoted: fc.boolean(),
    lineEnd: lineEnds,
    end: fc.constantFrom("", "\n")
  })
  .map(({ end, isQuoted, isTextFirst, lineEnd, note, some }) => {
    const people = some.map(([begin, others], index) => ({
      recipient: `${234_800_000_000 + index}`,
      message: begin + others.flat().join("")
    }))
    const rowOf = (recipient: string, message: string, last: string | undefined) => {
      const both = isTextFirst ? [message, recipient] : [recipient, message]
      return csvOf(last === undefined ? both : [...both, last], ",", isQuoted)
    }
    const header = rowOf("recipient", "message", note === undefined ? note : "note")
    const rows = people
      .map(({ message, recipient }) => rowOf(recipient, message, note))
      .join(lineEnd)
    return { people, header: header + lineEnd, rows: rows + end }
  })

const bare = (text: string | undefined): string | undefined => text?.replaceAll(/["\r]/g, "")

it.live("if one quote of a list is lost or too many, nobody gets a torn text or is forgotten", () =>
  Effect.gen(function* () {
    const property = fc.asyncProperty(
      anyList,
      fc.boolean(),
      fc.nat(),
      ({ header, people, rows: correct }, isLost, place) => {
        const quotes = Array.from(correct.matchAll(/"/g), ({ index }) => index)
        const lost = isLost ? quotes[place % quotes.length] : undefined
        const at = lost ?? place % correct.length
        const [added, after] = lost === undefined ? ['"', at] : ["", at + 1]
        const content = header + correct.slice(0, at) + added + correct.slice(after)
        return outcomeOf(content).then(({ rows, stops }) => {
          if (stops !== undefined) return
          const sent = rows.filter(({ problem }) => problem === undefined)
          for (const { message, recipient } of sent) {
            const person = people.find((each) => each.recipient === recipient)
            expect({ content, recipient, text: bare(message) }).toEqual({
              content,
              recipient,
              text: bare(person?.message)
            })
          }
          const missing = people.filter(
            (person) => !sent.some(({ recipient }) => recipient === person.recipient)
          )
          expect(missing.length).toBeLessThanOrEqual(rows.length - sent.length)
        })
      }
    )
    yield* Effect.promise(() => fc.assert(property, { numRuns: runs(6_000) }))
  })
)

/** A text, and whether it is written without the quotes that its line breaks need. A line with a number may be a row. */
const maybeRaw = fc.record({
  text: fc
    .array(fc.constantFrom("Hello", "your order", "5 pm", ",", ", ", "\n", "\n\n", " "), {
      maxLength: 8
    })
    .map((some) => `Dear ${some.join("")}.`),
  isRaw: fc.boolean()
})

it.live("no text whose line breaks lost their quotes goes out in part", () =>
  Effect.gen(function* () {
    const orders = [
      ["recipient", "message"],
      ["message", "recipient"],
      ["key", "recipient", "message"],
      ["message", "key", "recipient"],
      ["key", "message", "recipient"],
      ["recipient", "message", "key"],
      ["recipient", "message", "sender_id", "key"]
    ] as const
    const property = fc.asyncProperty(
      fc.constantFrom(...orders),
      fc.array(maybeRaw, { minLength: 1, maxLength: 6 }),
      fc.constantFrom("\n", "\r\n", "\n\n"),
      fc.boolean(),
      (columns, some, lineEnd, isTemplate) => {
        const rows = some.map(({ isRaw, text }, index) => {
          const cells = {
            recipient: `+${15_550_000_000 + index}`,
            message: text,
            key: `k${index}`,
            sender_id: ""
          }
          const raw = columns.map((name) => cells[name]).join(",")
          // Where each line has as many cells as a row, nobody can see that they belong together.
          const isBroken =
            isRaw &&
            raw.split("\n").some((line) => {
              const found = line.split(",")
              const isFew = found.length < columns.length && /[^ ,]/.test(line)
              return isFew || found.slice(columns.length).some((cell) => cell.trim() !== "")
            })
          const isWhole = !/[,\n]/.test(text)
          const written = isBroken || isWhole ? raw : csvOf(columns.map((name) => cells[name]))
          return { ...cells, isBroken, written }
        })
        const content = `${columns.join()}\n${rows.map(({ written }) => written).join(lineEnd)}`
        const template = isTemplate ? templateOf("{message}") : undefined
        return Effect.runPromise(read(content, { template })).then((found) => {
          for (const { message, recipient } of found) {
            if (recipient === undefined) continue
            const row = rows.find((each) => each.recipient === recipient)
            expect({ content, message }).toEqual({ content, message: row?.message })
            expect({ content, isBroken: row?.isBroken }).toEqual({ content, isBroken: false })
          }
          const sent = new Set(found.map(({ recipient }) => recipient))
          for (const [index, { isBroken, recipient }] of rows.entries()) {
            const isBeside = [index - 1, index, index + 1].some((at) => rows[at]?.isBroken)
            if (!isBeside)
              expect({ content, recipient, isSent: sent.has(recipient) }).toEqual({
                content,
                recipient,
                isSent: true
              })
            expect(isBroken && sent.has(recipient)).toBe(false)
          }
        })
      }
    )
    yield* Effect.promise(() => fc.assert(property, { numRuns: runs(6_000) }))
  })
)

it.live("an order whose text lost its quotes is not sent, and its row says why", () =>
  Effect.gen(function* () {
    const { journal } = yield* fileOf("")
    const args = ["run", "-", "--campaign", "orders", "--yes", "--journal", journal]
    const written = "key,recipient,message\no-1,+15550000001,Dear Ann,\n\nyour parcel is here\n"
    const { code, events } = yield* command(args, { stdin: [written] })
    expect(code).toBe(3)
    expect(events.slice(0, 2)).toEqual([
      {
        event: "InvalidRow",
        line: 2,
        problem:
          "line 4 is no row, and may be the rest of its text: put quotes around a text with a line break in it, as a CSV writer does, or correct or remove line 4"
      },
      {
        event: "InvalidRow",
        line: 4,
        problem:
          'it has 1 cell, and the first line has 3: put quotes around a text with "," or a line break in it'
      }
    ])
    expect(events.at(-1)).toMatchObject({ event: "Ended", sent: 0, invalid: 2 })
    expect(yield* texts).toEqual([])
    // Its key may have been sent before.
    const corrected = 'key,recipient,message\no-1,+15550000001,"Dear Ann,\n\nyour parcel is here"\n'
    const right = yield* command(args, { stdin: [corrected] })
    expect(right.events.at(-1)).toMatchObject({ event: "Ended", sent: 1, invalid: 0 })
    const later = yield* command(args, { stdin: [written] })
    expect(later.code).toBe(3)
    expect(later.events.at(-1)).toMatchObject({ event: "Ended", sent_now: 0, sent: 1, invalid: 2 })
    expect(yield* texts).toEqual(["Dear Ann,\n\nyour parcel is here"])
  }).pipe(onSandbox)
)

const people = [
  { recipient: "+15550000001", message: "Hello" },
  { recipient: "+15550000002", message: 'She said "no", and left\nat 5' },
  { recipient: "+15550000003", message: "Zoë" }
]

it.live.each(["\n", "\r\n", "\r"])(
  "wherever a list in a pipe is cut, no row is sent that was not written to its end: %j",
  (lineEnd) =>
    Effect.gen(function* () {
      for (const names of [
        ["recipient", "message"],
        ["message", "recipient"]
      ] as const) {
        const lines = people.map((person) => csvOf(names.map((name) => person[name])) + lineEnd)
        const written = Buffer.from(names.join() + lineEnd + lines.join(""))
        const whole = yield* read(written, { isPipe: true })
        expect(whole).toMatchObject(people)
        for (let end = 0; end < written.length; end++) {
          const rows = yield* read(written.subarray(0, end), { isPipe: true }).pipe(
            Effect.catch(() => Effect.succeed([]))
          )
          for (const row of rows) if (row.problem === undefined) expect(whole).toContainEqual(row)
        }
        // Editors leave out the last line break of a file.
        expect(yield* read(written.toString().trimEnd())).toEqual(whole)
      }
    })
)

it.live("wherever a stop list in a pipe is cut, it has no number that is not whole", () =>
  Effect.gen(function* () {
    const numbers = people.map(({ recipient }) => recipient)
    for (const written of [
      `${numbers.join("\n")}\n`,
      `name,recipient\n,${numbers.join("\n,")}\n`
    ]) {
      for (let end = 0; end < written.length; end++) {
        const cut = written.slice(0, end)
        const stopList = yield* Effect.result(
          StopList.read(sourceOf(cut, true), undefined, undefined)
        )
        const isWhole = /\d\n,?$/.test(cut)
        expect({ cut, isRead: stopList._tag === "Success" }).toEqual({ cut, isRead: isWhole })
      }
      yield* StopList.read(sourceOf(written.trimEnd()), undefined, undefined)
    }
  })
)

it.live("a row that its writer did not end is invalid, and the others are sent", () =>
  Effect.gen(function* () {
    const { journal } = yield* fileOf("")
    const args = ["run", "-", "--campaign", "orders", "--yes", "--journal", journal]
    const written = "key,message,recipient\no-1,Hello,+15550000001\no-2,Hello,+1555666000"
    const { code, events } = yield* command(args, { stdin: [written] })
    expect(code).toBe(3)
    expect(events[0]).toEqual({
      event: "InvalidRow",
      line: 3,
      problem:
        "no line break ends it, so that it may be cut: from stdin or a pipe, end each row with a line break"
    })
    expect(events.at(-1)).toMatchObject({ event: "Ended", sent: 1, invalid: 1 })
    // The end of the last cell is missing: by its key, it is known, but not if that may be cut itself.
    const header = "key,message,recipient\n"
    for (const [row, state] of [
      ["o-1,Hello,+15550000001", "sent"],
      ["o-1,He", "sent"],
      ["o-1", undefined],
      ["o-1,Hello,+15550000001,more", undefined]
    ] as const) {
      const again = yield* command(args, { stdin: [header + row] })
      expect(again.events[0]?.["state"], row).toBe(state)
      const ended = { sent: state === undefined ? 0 : 1, sent_now: 0, invalid: 1 }
      expect(again.events.at(-1), row).toMatchObject(ended)
    }
    expect(yield* texts).toHaveLength(1)
  }).pipe(onSandbox)
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
  const literal = fc.string().map((text) => text.replace(/[{}\\]/g, ""))
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

it.live("each row of a rehearsal goes to one number", () =>
  Effect.gen(function* () {
    const to = "+15559999999"
    const content = "recipient,message\n+15550000001,b\n+15550000002,b\n"
    const rows = yield* Stream.runCollect(rowsOf(content, { to }))
    const sends = rows.flatMap((row) => (row._tag === "Row" ? [row.row] : []))
    expect(sends.map(({ request }) => request.recipient)).toEqual([to, to])
    expect(new Set(sends.map(({ key }) => key)).size).toBe(2)
  })
)
