/** What a question shows of the texts of a batch, read as a person reads it. */
import fc from "fast-check"
import { afterAll, expect, it } from "vitest"
import { runs } from "../harness/Runs.ts"
import { anyRoute, decline, guarded } from "../harness/mcp/GuardedServer.ts"

const numbers = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `+2547${String(at).padStart(8, "0")}`)

const words = [
  "Dear",
  "member",
  "bring",
  "your",
  "papers",
  "the",
  "fee",
  "of",
  "is",
  "due",
  "papas"
]
const prose = fc
  .array(fc.constantFrom(...words), { minLength: 2, maxLength: 120, size: "max" })
  .map((all) => all.join(" "))

type Own = (at: number) => string

/** What differs from text to text. */
const short: ReadonlyArray<Own> = [
  (at) => `${7 * at + 7}`,
  (at) => `${at + 1} 000`,
  (at) => `$ ${at}.50`,
  (at) => `Ama${"abcdefghij"[at % 10]}${"klmnopqrst"[Math.floor(at / 10)]}`,
  (at) => `\u4f60\u597d${String.fromCodePoint(0x4e00 + at)}\u5148\u751f`
]
const link: Own = (at) => `https://a.example/${"path/".repeat(20)}${at}`

/** Texts of one template with several places, or of two. */
const templates = fc
  .array(fc.tuple(prose, fc.constantFrom(...short, link)), { minLength: 1, maxLength: 4 })
  .chain((parts) =>
    prose.map(
      (end) => (at: number) =>
        [...parts.flatMap(([before, valueOf]) => [before, valueOf(at)]), end]
          .join(" ")
          .slice(0, 1000)
    )
  )

type Rows = ReadonlyArray<{ readonly recipient: string; readonly message: string }>

const batches = fc
  .tuple(templates, fc.option(templates, { nil: undefined }), fc.integer({ min: 2, max: 100 }))
  .map(([one, other = one, count]): Rows =>
    numbers(count).map((recipient, at) => ({
      recipient,
      message: (at % 2 === 0 ? one : other)(at)
    }))
  )
  .filter((rows) => new Set(rows.map(({ message }) => message)).size > 1)

interface Shown {
  readonly beginning: string
  /** What is hidden before the end: how many characters, and numbers. */
  readonly hidden?: { readonly characters: number; readonly numbers: number }
  readonly end: string
}

const quotedText = String.raw`"(?:[^"\\]|\\.)*"`
const textAt = new RegExp(
  String.raw`^(${quotedText})(?: \(here (\d+) characters (?:without a number|with (\d+) numbers?) are not shown\) (${quotedText}))?`,
  "u"
)

/** Takes a text off the beginning. */
const readText = (rest: string): readonly [Shown, string] => {
  const [all = "", beginning = "", characters, count = "0", end = '""'] = textAt.exec(rest) ?? []
  expect(all).not.toBe("")
  const hidden = { characters: Number(characters), numbers: Number(count) }
  const shown = {
    beginning: String(JSON.parse(beginning)),
    ...(characters === undefined ? {} : { hidden }),
    end: String(JSON.parse(end))
  }
  return [shown, rest.slice(all.length)]
}

/** Reads the part of a question about its texts. */
const read = (part: string) => {
  const shared = { begins: "", ends: "" }
  const texts = new Map<string, Shown>()
  let rest = part
  while (rest !== "") {
    const [head = "", how] = /^(?:each (begins|ends) |to [^:]*: \u2026?)/u.exec(rest) ?? []
    expect(head).not.toBe("")
    const [text, after] = readText(rest.slice(head.length))
    if (how === "begins" || how === "ends") shared[how] = text.beginning
    else for (const to of head.slice(3).split(":", 1)[0]?.split(", ") ?? []) texts.set(to, text)
    rest = after.replace(/^\u2026?(?:; )?/u, "")
  }
  return { ...shared, texts }
}

const lastWord = (text: string): string => /\S+\s*$/u.exec(text)?.[0] ?? ""
const firstWord = (text: string): string => /^\S+/u.exec(text)?.[0] ?? ""

/** The words on both sides are whole, and neither is a number or a part of one. */
const expectPlace = (before: string, after: string): void => {
  expect(before).toMatch(/\s$/u)
  expect(after).toMatch(/^\S/u)
  expect(lastWord(before) + firstWord(after)).not.toMatch(/\p{N}/u)
}

/** Checks that the part about the texts is what goes out, and returns what its cuts hide. */
const cutsOf = (part: string, rows: Rows): ReadonlyArray<string> => {
  const { begins, ends, texts } = read(part)
  const cuts = new Array<string>()
  for (const { message, recipient } of rows) {
    const { beginning, end, hidden } = texts.get(recipient) ?? { beginning: "", end: "" }
    const [before, after] = [begins + beginning, end + ends]
    if (begins !== "") expectPlace(begins, beginning)
    if (ends !== "") expectPlace(hidden === undefined ? beginning : end, ends)
    if (hidden === undefined) {
      expect(before + after).toBe(message)
      continue
    }
    expect(message.length).toBeGreaterThan(306)
    expect(message.startsWith(before) && message.endsWith(after)).toBe(true)
    const cut = message.slice(before.length, message.length - after.length)
    expect(hidden).toEqual({
      characters: Array.from(cut).length,
      numbers: cut.match(/\p{N}+(?:\.\p{N}+)?/gu)?.length ?? 0
    })
    expect(cut.length).toBeGreaterThanOrEqual(60)
    expectPlace(before, cut)
    expectPlace(cut, after)
    cuts.push(cut)
  }
  return cuts
}

const server = await guarded(anyRoute, ["--max-segments", "50"], { person: () => decline })
afterAll(() => server[Symbol.asyncDispose]())

/** The part of the question about its texts. */
const partOf = async (rows: Rows): Promise<string> => {
  await server.call("send_sms_batch", { rows })
  const part = /^Send \d+ SMS\? .*?, \d+ segments?, \d+ texts: (.*)$/su
  return part.exec(server.questions.at(-1) ?? "")?.[1] ?? ""
}

const lengthOf = (texts: ReadonlyArray<string>): number =>
  texts.reduce((sum, { length }) => sum + length, 0)

it("what is shown of texts is what goes out, but for a cut that says what it hides", async () => {
  let cuts = 0
  await fc.assert(
    fc.asyncProperty(batches, async (rows) => {
      const part = await partOf(rows)
      cuts += cutsOf(part, rows).length
      const byText = Map.groupBy(rows, ({ message }) => message)
      const inQuotes = [...byText].map(
        ([text, each]) =>
          `to ${each.map(({ recipient }) => recipient).join(", ")}: ${JSON.stringify(text)}`
      )
      expect(part.length).toBeLessThanOrEqual(inQuotes.join("; ").length)
      if (lengthOf([...byText.keys()]) <= 2_000) expect(part).toBe(inQuotes.join("; "))
    }),
    { numRuns: runs(100) }
  )
  expect(cuts).toBeGreaterThan(0)
})

it("a cut hides what all texts have, where they differ in one or two places", async () => {
  const own = fc.constantFrom(...short)
  const few = fc.tuple(prose, own, prose, own, prose, fc.integer({ min: 2, max: 100 }))
  await fc.assert(
    fc.asyncProperty(few, async ([before, one, between, other, after, count]) => {
      const rows = numbers(count).map((recipient, at) => ({
        recipient,
        message: [before, one(at), between, other(at), after].join(" ")
      }))
      for (const cut of cutsOf(await partOf(rows), rows)) {
        for (const { message } of rows) expect(message).toContain(cut.trim())
      }
    }),
    { numRuns: runs(100) }
  )
})

it.each([2, 3, 4, 5])("%i texts of 390 characters are whole", async (count) => {
  const rows = numbers(count).map((recipient, at) => ({
    recipient,
    message: `${at} dollars for ${"your papers ".repeat(40)}`.slice(0, 390)
  }))
  const part = await partOf(rows)
  for (const { message } of rows) expect(part).toContain(JSON.stringify(message))
})
