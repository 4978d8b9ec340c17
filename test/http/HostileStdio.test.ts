import { describe, expect, it } from "vitest"
import { marker } from "../harness/mcp/Hostile.ts"
import { expectNoContent, expectServingStdio } from "../harness/mcp/RandomMessages.ts"
import {
  callOf,
  type Era,
  eras,
  type Message,
  openStdio,
  type RawStdio,
  requestOf
} from "../harness/mcp/RawStdio.ts"
import { toolNames } from "../harness/mcp/ToolNames.ts"

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

const notMessages: ReadonlyArray<readonly [string, string | Uint8Array]> = [
  ["text", `${marker}\n`],
  ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x7d, 0x0a])],
  ["NUL bytes", "\0\0\0\n"],
  ["empty lines", "\n\r\n\n \n\t\n"],
  ["carriage returns alone", "\r\r\r\n"],
  ["a byte order mark", "\uFEFF\n"],
  ["truncated JSON", `{"jsonrpc":"2.0","id":"${marker}","method":"tools/li\n`],
  [
    "a message that lacks its last bracket",
    aLine(callOf("legacy", 1, "preview_sms")).replace("}}\n", "}\n")
  ],
  ["100,000 brackets", `${"[".repeat(100_000)}${"]".repeat(100_000)}\n`],
  ["100,000 open brackets", `${"[".repeat(100_000)}\n`],
  ["an empty batch", "[]\n"],
  ["a batch", aLine([requestOf("legacy", marker, "tools/list"), requestOf("legacy", 2, "ping")])],
  ["null", "null\n"],
  ["a number", "5\n"],
  ["a string", aLine(marker)],
  ["an object that is no message", aLine({ [marker]: 1 })],
  ["a request without a method", aLine({ jsonrpc: "2.0", id: 1 })],
  ["another version of JSON-RPC", aLine({ ...callOf("legacy", 1, "x"), jsonrpc: "1.0" })],
  ["no version of JSON-RPC", aLine({ id: 1, method: "tools/list" })],
  // A response to a response could go back and forth forever.
  ["a response that is malformed", aLine({ id: 1, result: 5 })],
  ["an error that is malformed", aLine({ id: null, error: { code: -32700 } })]
]

describe.each(eras)("over stdio, in the %s era,", (era) => {
  it("lines that are not messages are ignored, end nothing, and are not in the log", async () => {
    await using stdio = await openStdio(era)
    for (const [what, bytes] of notMessages) {
      expect(await responsesTo(stdio, era, bytes), what).toEqual([])
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
      structuredContent: { encoding: "UCS-2", ucs2_characters: ["😀"] }
    })
    const many = Array.from({ length: 500 }, (_, index) => `many-${index}`)
    await stdio.send(...many.map((id) => callOf(era, id, "preview_sms", { message: id })))
    const responses = await Promise.all(many.map((id) => stdio.response(id)))
    expect(responses.map(({ result }) => result).includes(undefined)).toBe(false)
  })

  it("a request that is not UTF-8 is refused, and no other one", async () => {
    await using stdio = await openStdio(era)
    const call = (id: string) => aLine(callOf(era, id, "preview_sms", { message: "Hello ?" }))
    const wrong: Readonly<Record<string, ReadonlyArray<number>>> = {
      "a letter in Latin-1": [0xe4],
      "a part of a letter": [0xe2, 0x82],
      "a surrogate": [0xed, 0xa0, 0xbd],
      "a letter in too many bytes": [0xc0, 0xaf],
      "a byte that no text has": [0xff]
    }
    const bytesOf = (id: string, bytes: ReadonlyArray<number>) => {
      const line = Buffer.from(call(id))
      const at = line.lastIndexOf("?")
      return Buffer.concat([line.subarray(0, at), Buffer.from(bytes), line.subarray(at + 1)])
    }
    for (const [what, bytes] of Object.entries(wrong)) {
      const block = [call(`before ${what}`), bytesOf(what, bytes), call(`after ${what}`)]
      await stdio.write(Buffer.concat(block.map((each) => Buffer.from(each))))
      for (const byte of bytesOf(`${what}, slowly`, bytes)) await stdio.write(Buffer.of(byte))
      for (const id of [what, `${what}, slowly`]) {
        expect(await stdio.response(id), id).toEqual({
          jsonrpc: "2.0",
          id,
          error: { code: -32700, message: "Nothing was done: the request is not UTF-8" }
        })
      }
      for (const id of [`before ${what}`, `after ${what}`]) {
        expect((await stdio.response(id)).result, id).toMatchObject({
          structuredContent: { segments: 1 }
        })
      }
    }
    const replacement = [0xef, 0xbf, 0xbd]
    await stdio.write(bytesOf("a sign for what is not UTF-8", replacement))
    expect((await stdio.response("a sign for what is not UTF-8")).result).toMatchObject({
      structuredContent: { ucs2_characters: ["\ufffd"] }
    })
  })

  it("a line of more than 10 MiB ends the connection", async () => {
    await using stdio = await openStdio(era)
    // Ended or not, the server takes no more.
    void stdio.write("a".repeat(11 * 1024 * 1024))
    expect(await stdio.server.ended).toMatchObject({ code: 0 })
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
    expect(response.result?.["tools"]).toHaveLength(toolNames.length)
  })

  it("a client without a handshake is one that cannot ask", async () => {
    await using stdio = await openStdio("legacy", ["--sandbox", "--confirm=require"])
    const sms = { recipient: "+254700000001", message: "Hello" }
    const response = await stdio.ask(callOf("legacy", 1, "send_sms", sms))
    expect(response.result).toMatchObject({
      isError: true,
      structuredContent: { code: "confirmation_unavailable", sent_by_this_call: false }
    })
  })
})
