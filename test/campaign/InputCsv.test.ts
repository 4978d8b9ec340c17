import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { alone, command, fileOf, onSandbox } from "../harness/campaign/Command.ts"

const header = "recipient,message\n"

const quotes =
  'a quote is not closed, or is inside a text: put quotes around the whole text, and write a quote inside it twice ("")'

const invalidRow = (line: number, problem: string, field?: string) => ({
  event: "InvalidRow",
  line,
  ...(field === undefined ? {} : { field }),
  problem
})

const cells = (count: number, wanted = 2) =>
  invalidRow(
    0,
    `it has ${count} cell${count === 1 ? "" : "s"}, and the header has ${wanted}: put quotes around a text that contains the delimiter`
  )

interface Case {
  readonly content: Buffer | string
  readonly sent: ReadonlyArray<string>
  readonly invalid?: ReadonlyArray<object>
}

const cases: Readonly<Record<string, Case>> = {
  "quotes, and quotes inside them": {
    content: `${header}10001,"a ""b"" c"\n"10002","d, e"\n`,
    sent: ['a "b" c', "d, e"]
  },
  "newlines in quotes, and the lines after them": {
    content: `${header}10001,"a\nb\r\nc"\n10002\n10003,d\n`,
    sent: ["a\nb\r\nc", "d"],
    invalid: [{ ...cells(1), line: 5 }]
  },
  "a byte order mark": { content: `\ufeff${header}10001,a\n`, sent: ["a"] },
  "CRLF, and a last line without a line end": {
    content: "recipient,message\r\n10001,a\r\n10002,b",
    sent: ["a", "b"]
  },
  "lines that end in CR": { content: "recipient,message\r10001,a\r10002,b\r", sent: ["a", "b"] },
  "empty lines, and lines of empty cells": {
    content: `\n${header}\n10001,a\n\n,\n10002,b\n\n`,
    sent: ["a", "b"]
  },
  "rows with too many or too few cells": {
    content: `${header}10001,a,b\n10002\n10003,c\n`,
    sent: ["c"],
    invalid: [
      { ...cells(3), line: 2 },
      { ...cells(1), line: 3 }
    ]
  },
  "rows without a recipient or a text": {
    content: `${header},a\n10002,\n10003,c\n`,
    sent: ["c"],
    invalid: [invalidRow(2, "it is empty", "recipient"), invalidRow(3, "it is empty", "message")]
  },
  "wrong quotes": {
    content: `${header}10001,a"b\n10002,"c"d\n10003,"e\n10004,"f"\n10005,g\n`,
    sent: ["g"],
    invalid: [2, 3, 4, 5].map((line) => invalidRow(line, quotes))
  },
  "text that no journal can store": {
    content: `${header}10001,a\0b\n10002,c\n`,
    sent: ["c"],
    invalid: [invalidRow(2, "it must not contain the character U+0000", "message")]
  },
  "a text that begins like a formula": { content: `${header}10001,"=1+1"\n`, sent: ["=1+1"] },
  "the replacement character, if the file contains it": {
    content: `${header}10001,\ufffd\n`,
    sent: ["\ufffd"]
  }
}

describe("CSV", () => {
  it.live.each(Object.entries(cases))("%s", ([, { content, invalid = [], sent }]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(content)
      const { code, events } = yield* command(["run", file, "--yes", "--journal", journal])
      const { messages } = yield* Sandbox
      const arrived = (yield* messages()).map(({ message }) => message)
      expect(arrived.toSorted()).toEqual([...sent].toSorted())
      expect(events.filter(({ event }) => event === "InvalidRow")).toEqual(invalid)
      expect(code).toBe(invalid.length === 0 ? 0 : 3)
      // The result is the same if each byte comes alone.
      const bytes = Array.from(Buffer.from(content), (byte) => Buffer.from([byte]))
      const pieces = yield* alone(["run", "-", "--dry-run", "--campaign", "c"], { stdin: bytes })
      expect(pieces.events.filter(({ event }) => event === "InvalidRow")).toEqual(invalid)
      expect(pieces.events.at(-2)).toMatchObject({ event: "Totals", rows: sent.length })
    }).pipe(onSandbox)
  )
})

const missing =
  "rows.csv, line 1: there is no header: begin the file with a line of column names, such as recipient,message"

const known = "recipient, message, sender_id, webhook_url, scheduled_time, key"

describe("a file fails as a whole if it", () => {
  it.live.each<[name: string, content: Buffer | string, code: number, text: string]>([
    ["is empty", "", 2, missing],
    ["contains only a newline", "\n", 2, missing],
    [
      "has a column twice",
      "recipient,message,message\n10001,a,b\n",
      2,
      "rows.csv, line 1: the column message occurs twice: remove one"
    ],
    [
      "has unknown columns",
      "recipient,message,name,age\n10001,a,b,c\n",
      2,
      `rows.csv, line 1: unknown columns "name", "age": give --ignore-columns, or rename them; the known columns are ${known}`
    ],
    [
      "lacks a column",
      "recipient\n10001\n",
      2,
      "rows.csv, line 1: the column message is missing, or give --template"
    ],
    [
      "has a row that is too long",
      `${header}10001,a\n10002,${"b".repeat(1024 * 1024)}\n10003,c\n`,
      1,
      "rows.csv, line 3: a row is longer than 1 MiB, perhaps because a closing quote is missing; the rest of the file cannot be read"
    ]
  ])("%s", ([, content, code, text]) =>
    Effect.gen(function* () {
      const { file, journal } = yield* fileOf(content)
      const ended = yield* command(["run", file, "--yes", "--journal", journal])
      expect(ended.stderr).toBe(`${text}\n`)
      expect(ended.code).toBe(code)
      const { messages } = yield* Sandbox
      expect(yield* messages()).toEqual([])
    }).pipe(onSandbox)
  )

  it.live.each([
    ["does not exist", "none.csv", "none.csv: the file does not exist: check the path\n", 1],
    ["is a folder", "test", "test: this is a folder: give a file\n", 1]
  ] as const)("%s", ([, file, text, code]) =>
    Effect.gen(function* () {
      expect(yield* alone(["run", file, "--dry-run"])).toMatchObject({
        code,
        stdout: "",
        stderr: text
      })
    })
  )
})
