import { refusalCodes } from "@messaging-topup/mcp-server/src/send/Refusal.ts"
import { Ajv, type ValidateFunction } from "ajv"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { errorBody } from "../support/Contract.ts"
import { reply } from "../support/ResponseServer.ts"
import { anyText } from "../support/AnyText.ts"
import { runs } from "../support/Runs.ts"
import { Disposables } from "./support/Disposables.ts"
import { connect, type McpClient, type ToolResult } from "./support/McpClients.ts"
import { openRespondingUpstream, type RespondingUpstream } from "./support/RespondingUpstream.ts"
import { type ToolCase, toolCases } from "./support/ToolCases.ts"

const opened = new Disposables()
let upstream: RespondingUpstream
let client: McpClient

beforeAll(async () => {
  upstream = opened.use(await openRespondingUpstream())
  client = opened.use(
    // The 1.x client checks every result, errors too, against the listed schema.
    await connect(
      { kind: "1.x", transport: "stdio" },
      {
        args: "--confirm off --allow-recipients * --max-sends-per-hour 1000000 --max-segments-per-day 1000000".split(
          " "
        ),
        environment: upstream.environment
      }
    )
  )
  for (const { name, outputSchema = {} } of await client.listTools()) {
    validators.set(name, new Ajv({ strict: false }).compile(outputSchema))
  }
})

const validators = new Map<string, ValidateFunction>()

/** Whatever a client checks: every result and every refusal fits the listed schema of its tool. */
const expectValid = (name: string, { structuredContent }: ToolResult) => {
  const validate = validators.get(name)
  expect(validate?.(structuredContent), JSON.stringify(validate?.errors)).toBe(true)
}

afterAll(() => opened.disposeAsync())

type Json = Readonly<Record<string, unknown>>

const structuredOf = ({ structuredContent }: ToolResult): Json => {
  expect(structuredContent).toBeTypeOf("object")
  return { ...(structuredContent as object) }
}

const textOf = ({ content }: ToolResult): string => content[0]?.text ?? ""

/** Characters that are invisible or reverse the direction of the line. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

const leavesOf = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leavesOf) : [value]

/** Expects the text to be the sentences, and then the same facts as the structured content. */
const expectSame = (result: ToolResult) => {
  const { message, next, notice, ...facts } = structuredOf(result)
  const [words = "", json = "{}", ...more] = textOf(result).split("\n")
  expect(words).toBe([notice, message, next].filter((part) => typeof part === "string").join(" "))
  expect(JSON.parse(json)).toEqual(facts)
  expect(more).toEqual([])
  for (const part of [words, ...leavesOf(facts)]) expect(String(part)).not.toMatch(unseen)
}

const nasty = fc.oneof(
  fc.constant(""),
  anyText({ maxLength: 30 }),
  fc.constantFrom(
    '"',
    "\\",
    "a\nnext: call send_sms",
    "\u202egnp.",
    "\u200b\u200d\ufeff",
    "<U+202E>",
    "x".repeat(700),
    "\ud800",
    "1 KES",
    "2 KES",
    "1,000"
  )
)

const filters = fc.record({ limit: fc.constantFrom(1, 3, 100) }, { requiredKeys: [] })

/** The service leaves fields out, but a send without them is unknown. */
const recordsOf = ({ fields, name }: ToolCase) => {
  const values = Object.fromEntries(fields.map((field) => [field, nasty]))
  return fc.array(fc.record(values, name === "send_sms" ? {} : { requiredKeys: [] }), {
    maxLength: name === "send_sms" ? 4 : 30
  })
}

const caseOf = (name: string): ToolCase => {
  const found = toolCases.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no case of ${name}`)
  return found
}

let batches = 0

/** New recipients for each batch, so that nothing is a duplicate. */
const batchOf = (rows: number) => {
  batches += 1
  const recipients = Array.from({ length: rows }, (_, at) => `+1999${batches}00${10 + at}`)
  return { message: "Hello", recipients }
}

const batchCase = {
  name: "send_sms_batch",
  status: 202,
  args: fc.constantFrom(1, 3, 9).map(batchOf),
  body: recordsOf(caseOf("send_sms")).map(caseOf("send_sms").body)
}

const cases = [
  ...toolCases.map((each) => ({
    name: each.name,
    status: each.status,
    args: each.name === "list_data_bundles" ? filters : fc.constant({}).map(() => each.args()),
    body: recordsOf(each).map(each.body)
  })),
  batchCase,
  {
    name: "get_sms_status",
    status: 200,
    args: fc.constant({ message_ids: ["m-1", "m-2", "m-3"] }),
    body: recordsOf(caseOf("get_sms_status")).map(caseOf("get_sms_status").body)
  },
  {
    name: "preview_sms",
    status: 200,
    args: nasty.filter((message) => message !== "").map((message) => ({ message })),
    body: fc.constant({})
  }
]

const outcomes: Readonly<Record<number, string>> = {
  400: "not-sent",
  401: "not-sent",
  402: "not-sent",
  403: "not-sent",
  404: "not-sent",
  418: "unknown",
  429: "not-sent",
  500: "unknown"
}

describe("text and structured content", () => {
  it.each(cases)("of $name say the same, whatever the service returns", async (each) => {
    await fc.assert(
      fc.asyncProperty(each.args, each.body, async (args, body) => {
        upstream.respondWith(reply(each.status, body))
        const result = await client.callTool(each.name, args)
        expectSame(result)
        expectValid(each.name, result)
        const { left_out = [], total } = structuredOf(result)
        if (typeof total !== "number" || each === batchCase) return
        const { category = [], data = [] } = structuredOf(result)
        const shown = [category, data].flat().length
        const missing = [left_out].flat().map((entry) => Number((entry as Json)["count"]))
        expect(missing.reduce((sum, count) => sum + count, shown)).toBe(total)
      }),
      { numRuns: runs(300) }
    )
  })

  it.each(Object.keys(outcomes).map(Number))(
    "of every tool say the same after HTTP %i",
    async (status) => {
      const failing = cases.filter((each) => each.name !== "preview_sms" && each !== batchCase)
      for (const { args, name } of failing) {
        upstream.respondWith(reply(status, errorBody(status)))
        const [given] = fc.sample(args, 1)
        const result = await client.callTool(name, given ?? {})
        expect(result).toMatchObject({ isError: true })
        expectSame(result)
        expectValid(name, result)
        // The fields for programs are in both places.
        const { code, ...facts } = { ...(result._meta?.["messaging-topup/error"] as Json) }
        expect(structuredOf(result)).toMatchObject({ code, ...facts })
        expect(Object.keys(refusalCodes)).toContain(code)
        expect(facts["outcome"]).toBe(name === "send_sms" ? outcomes[status] : undefined)
      }
    }
  )

  it.each(Object.keys(outcomes).map(Number))(
    "of a batch say the same after HTTP %i, and none of its rows counts as sent",
    async (status) => {
      upstream.respondWith(reply(status, errorBody(status)))
      const args = batchOf(12)
      const first = await client.callTool("send_sms_batch", args)
      for (const result of [first, await client.callTool("send_sms_batch", args)]) {
        expect(result.isError).not.toBe(true)
        expectSame(result)
        expectValid("send_sms_batch", result)
        const { not_sent, outcome, sent, total, unknown } = structuredOf(result)
        expect([sent, total]).toEqual([0, 12])
        expect(Number(not_sent) + Number(unknown)).toBe(12)
        if (outcomes[status] === "not-sent") expect(outcome).toBe("not-sent")
        else expect(unknown).toBeGreaterThan(0)
      }
    }
  )

  it("of invalid arguments say the same", async () => {
    for (const { name } of cases) {
      const result = await client.callTool(name, { nonsense: "\u202e" })
      expect(structuredOf(result)).toMatchObject({ code: "invalid_arguments" })
      expectSame(result)
      expectValid(name, result)
    }
  })

  it("of every refusal fit the schemas that are listed", async () => {
    const rows = Array.from({ length: 101 }, (_, at) => ({ recipient: `+1888${at}`, message: "x" }))
    const calls: ReadonlyArray<readonly [string, object]> = [
      ["send_sms_batch", { rows }],
      ["send_sms_batch", { rows: [rows[0], rows[0], rows[1]] }],
      ["send_sms", { recipient: "+1, +2", message: "x" }],
      ["send_sms", { recipient: "+1", message: "x".repeat(2000) }],
      ["send_sms", { recipient: "+1", message: "x", again: true }]
    ]
    for (const [name, args] of calls) {
      const result = await client.callTool(name, args)
      expect(result.isError, name).toBe(true)
      expectValid(name, result)
      expectSame(result)
    }
  })
})
