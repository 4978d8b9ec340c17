import { describe, expect, it } from "vitest"
import { marker } from "./support/Hostile.ts"
import { expectNoContent, expectServingStdio } from "./support/RandomMessages.ts"
import {
  callOf,
  type Era,
  eras,
  type Message,
  openStdio,
  type RawStdio,
  requestOf
} from "./support/RawStdio.ts"

const aLine = (value: unknown) => `${JSON.stringify(value)}\n`

/** Returns the responses to the bytes, up to the response to a valid request. */
const responsesTo = async (
  stdio: RawStdio,
  era: Era,
  bytes: string | Uint8Array
): Promise<ReadonlyArray<Message>> => {
  const before = stdio.messages().length
  await stdio.write(bytes)
  await expectServingStdio(stdio, era)
  const isNew = ({ id }: Message) => typeof id !== "string" || !id.startsWith("good-")
  return stdio.messages().slice(before).filter(isNew)
}

const parseError = [-32700]
const invalidRequest = [-32600]
const ignored: ReadonlyArray<number> = []

/** What is no message, and the codes of the errors that it receives. */
const notMessages: ReadonlyArray<readonly [string, string | Uint8Array, ReadonlyArray<number>]> = [
  ["text", `${marker}\n`, parseError],
  [
    "invalid UTF-8",
    new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x7d, 0x0a]),
    parseError
  ],
  ["NUL bytes", "\0\0\0\n", parseError],
  ["empty lines", "\n\r\n\n \n\t\n", ignored],
  ["carriage returns alone", "\r\r\r\n", ignored],
  ["a byte order mark", "\uFEFF\n", ignored],
  ["truncated JSON", `{"jsonrpc":"2.0","id":"${marker}","method":"tools/li\n`, parseError],
  [
    "a message that lacks its last bracket",
    aLine(callOf("legacy", 1, "preview_sms")).replace("}}\n", "}\n"),
    parseError
  ],
  ["100,000 brackets", `${"[".repeat(100_000)}${"]".repeat(100_000)}\n`, invalidRequest],
  ["100,000 open brackets", `${"[".repeat(100_000)}\n`, parseError],
  ["an empty batch", "[]\n", invalidRequest],
  [
    "a batch",
    aLine([requestOf("legacy", marker, "tools/list"), requestOf("legacy", 2, "ping")]),
    invalidRequest
  ],
  ["null", "null\n", invalidRequest],
  ["a number", "5\n", invalidRequest],
  ["a string", aLine(marker), invalidRequest],
  ["an object that is no message", aLine({ [marker]: 1 }), invalidRequest],
  ["a request without a method", aLine({ jsonrpc: "2.0", id: 1 }), invalidRequest],
  ["another version of JSON-RPC", aLine({ ...callOf("legacy", 1, "x"), jsonrpc: "1.0" }), [-32600]],
  ["no version of JSON-RPC", aLine({ id: 1, method: "tools/list" }), invalidRequest],
  // A response to a response could go back and forth forever.
  ["a response that is malformed", aLine({ id: 1, result: 5 }), ignored],
  ["an error that is malformed", aLine({ id: null, error: { code: -32700 } }), ignored]
]

describe.each(eras)("over stdio, in the %s era,", (era) => {
  it("lines that are not messages receive an error, end nothing, and are not in the log", async () => {
    await using stdio = await openStdio(era)
    for (const [what, bytes, codes] of notMessages) {
      const responses = await responsesTo(stdio, era, bytes)
      expect(
        responses.map(({ error }) => error?.code),
        what
      ).toEqual(codes)
      for (const { error, id } of responses) {
        expect(error?.message).toMatch(/^(Parse error|Invalid request): /)
        expect(JSON.stringify(error)).not.toContain(marker)
        // The id of the request, if it can be read.
        expect(id, what).toBe(/version|without a method/.test(what) ? 1 : null)
      }
    }
    expectNoContent(stdio.server)
  })

  it("a message may end in CRLF, arrive byte by byte, or arrive with many others", async () => {
    await using stdio = await openStdio(era)
    const crlf = JSON.stringify(callOf(era, "crlf", "preview_sms", { message: "Hello" }))
    await stdio.write(`${crlf}\r\n`)
    expect((await stdio.response("crlf")).result).toBeDefined()
    const bytes = Buffer.from(aLine(callOf(era, "bytes", "preview_sms", { message: "€😀" })))
    for (const byte of bytes) await stdio.write(new Uint8Array([byte]))
    expect((await stdio.response("bytes")).result).toMatchObject({
      structuredContent: { encoding: "UCS-2", units: 3 }
    })
    const many = Array.from({ length: 500 }, (_, index) => `many-${index}`)
    await stdio.send(...many.map((id) => callOf(era, id, "preview_sms", { message: id })))
    const responses = await Promise.all(many.map((id) => stdio.response(id)))
    expect(responses.map(({ result }) => result).includes(undefined)).toBe(false)
  })

  it("a line of more than 1 MiB receives an error, and those after it are served", async () => {
    await using stdio = await openStdio(era)
    const mib = 1024 * 1024
    const long = aLine(callOf(era, "long", "preview_sms", { message: marker.repeat(80_000) }))
    expect(long.length).toBeGreaterThan(mib)
    await stdio.write("x".repeat(3 * mib))
    const tooLong = { id: null, error: { code: -32600 } }
    expect(await responsesTo(stdio, era, `\n${long}`)).toMatchObject([tooLong])
    expect(stdio.messages().filter(({ error }) => error !== undefined)).toMatchObject([
      tooLong,
      tooLong
    ])
    // The longest line that is served: 1 MiB with its line break.
    const empty = aLine(callOf(era, "fits", "preview_sms", { message: "" }))
    const fits = callOf(era, "fits", "preview_sms", { message: "x".repeat(mib - empty.length) })
    expect(aLine(fits)).toHaveLength(mib)
    expect((await stdio.ask(fits)).result).toBeDefined()
    expectNoContent(stdio.server)
  })

  it("JSON that is nested 100,000 deep inside a message receives a response or is ignored", async () => {
    await using stdio = await openStdio(era)
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    const call = aLine(callOf(era, "deep", "preview_sms", { message: "DEEP" }))
    for (const response of await responsesTo(stdio, era, call.replace('"DEEP"', deep))) {
      expect(response.id).toBe("deep")
      expect(response.error !== undefined || response.result?.["isError"] === true).toBe(true)
    }
    await responsesTo(stdio, era, call.replace('{"message":"DEEP"}', deep))
    await responsesTo(
      stdio,
      era,
      aLine({ ...callOf(era, "deep", "x"), params: 0 }).replace("0", deep)
    )
  })

  // Members of wrong types: HostileMessages.test.ts.
})

describe("over stdio,", () => {
  it("a client without a handshake is served", async () => {
    await using stdio = await openStdio("modern")
    const response = await stdio.ask(requestOf("legacy", 1, "tools/list"))
    expect(response.result?.["tools"]).toHaveLength(8)
  })
})

it("the log says which line was no message and why, and nothing that it contains", async () => {
  await using stdio = await openStdio("modern")
  await stdio.write(`\n${marker}\n`)
  const [line] = await stdio.server.until("stderr", /^.*"event":"protocol error".*$/m)
  const { line: number, problem } = JSON.parse(line)
  const written = stdio.server.written.stderr
  expect(problem).toBe("Parse error: the line is not valid JSON")
  await stdio.write(`[]\n`)
  const [next] = await stdio.server.until("stderr", /^.*batches are not supported.*$/m)
  expect(JSON.parse(next)).toMatchObject({ event: "protocol error", line: number + 1 })
  expect(written).not.toContain(marker)
})
