import { expect, it } from "@effect/vitest"
import { Sandbox } from "@messaging-topup/sandbox"
import * as Effect from "effect/Effect"
import { alone, command, fileOf, onSandbox } from "./support/Command.ts"

const row = (message: string) => JSON.stringify({ recipient: "10001", message })

const notObject = "it is not a JSON object: give one object per line"

const lines: ReadonlyArray<readonly [line: Buffer | string, problem?: string, field?: string]> = [
  [`\ufeff${row("first")}`],
  [""],
  [`${row("with a\nnewline")}\r`],
  ['{"recipient":"10001"}', "it is empty", "message"],
  ['{"recipient":15550001111,"message":"a"}', "it must be a string: put it in quotes", "recipient"],
  ["[]", notObject],
  ["{", notObject],
  ["null", notObject],
  [
    '{"recipient":"10001","message":"a","to":"x"}',
    'unknown field "to" (did you mean recipient?): give --ignore-columns, or rename it; the known fields are recipient, message, sender_id, webhook_url, scheduled_time, key'
  ],
  [
    '{"recipient":"10001","message":"\\ud800"}',
    "it must not contain half of a surrogate pair",
    "message"
  ],
  [
    Buffer.concat([
      Buffer.from('{"recipient":"10001","message":"'),
      Buffer.from([0xe9]),
      Buffer.from('"}')
    ]),
    "it is not UTF-8: save the file as UTF-8"
  ],
  [row("x".repeat(1024 * 1024)), "it is longer than 1 MiB"],
  ['{"recipient":"10001","message":"nulls","sender_id":null}'],
  [row("last")]
]

const content = Buffer.concat(
  lines.flatMap(([line], index) => [
    Buffer.from(line),
    Buffer.from(index === lines.length - 1 ? "" : "\n")
  ])
)

const invalid = lines.flatMap(([, problem, field], index) =>
  problem === undefined
    ? []
    : [{ event: "InvalidRow", line: index + 1, ...(field === undefined ? {} : { field }), problem }]
)

it.live("NDJSON: valid rows are sent, and invalid rows are listed with line and reason", () =>
  Effect.gen(function* () {
    const { file, journal } = yield* fileOf(content, "rows.ndjson")
    const { code, events } = yield* command([
      "run",
      file,
      "--yes",
      "--allow-repeats",
      "--journal",
      journal
    ])
    expect(code).toBe(3)
    expect(events.filter(({ event }) => event === "InvalidRow")).toEqual(invalid)
    const { messages } = yield* Sandbox
    expect((yield* messages()).map(({ message }) => message).toSorted()).toEqual(
      ["first", "with a\nnewline", "nulls", "last"].toSorted()
    )
  }).pipe(onSandbox)
)

it.live("a row has the same key in CSV and NDJSON", () =>
  Effect.gen(function* () {
    const csv = yield* fileOf('recipient,message\n10001,"with a\nnewline"\n10001,last\n')
    const ndjson = yield* fileOf(content, "rows.ndjson")
    const send = (file: string) =>
      command(["run", file, "--yes", "--allow-repeats", "--journal", csv.journal])
    yield* send(csv.file)
    yield* send(ndjson.file)
    const { messages } = yield* Sandbox
    expect(yield* messages()).toHaveLength(4)
  }).pipe(onSandbox)
)

it.live("--ignore-columns ignores unknown fields", () =>
  Effect.gen(function* () {
    const stdin = ['{"recipient":"10001","message":"a","to":5}']
    const { events } = yield* alone(["preview", "-", "--format", "ndjson", "--ignore-columns"], {
      stdin
    })
    expect(events).toMatchObject([{ event: "Totals", rows: 1, invalid: 0 }])
  })
)
