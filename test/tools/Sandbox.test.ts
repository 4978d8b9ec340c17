import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connect, type McpClient, type ToolResult } from "../harness/mcp/McpClients.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import { runInProcess } from "../harness/mcp/InProcessServer.ts"
import { callOf, openStdio } from "../harness/mcp/RawStdio.ts"

const notice = "[Sandbox: nothing is really sent or bought.]"

const sms = { recipient: "+254700000001", message: "Hello" }

const calls: ReadonlyArray<readonly [string, object]> = [
  ["preview_sms", { message: "Hello" }],
  ["send_sms", sms],
  ["get_sms_status", { message_id: "any" }],
  ["get_airtime_status", { referencecode: "AIR-1001" }],
  ["get_data_bundle_status", { referencecode: "DATA-2001" }],
  ["list_data_bundles", {}]
]

const failures: ReadonlyArray<readonly [string, object]> = [
  ["send_sms", {}],
  ["send_sms", { ...sms, recipient: "+15550000402" }],
  ["send_sms", { ...sms, recipient: "+15550000900" }],
  ["send_sms", { ...sms, message: "x".repeat(5000) }],
  ["get_sms_status", { message_id: "x0404" }],
  ["get_airtime_status", { referencecode: "x0500" }],
  ["preview_sms", { text: "Hello" }]
]

describe("With --sandbox, a client", () => {
  const opened = new Disposables()
  const questions: Array<string> = []
  let client: McpClient

  beforeAll(async () => {
    client = opened.use(
      await connect(
        { kind: "2.x modern", transport: "stdio" },
        {
          args: ["--sandbox"],
          elicit: (question) => {
            questions.push(question)
            return "accept"
          }
        }
      )
    )
  })

  afterAll(() => opened.disposeAsync())

  const expectNotice = (text: string | undefined) =>
    expect(text?.slice(0, notice.length + 1)).toBe(`${notice} `)

  const expectNoticeIn = ({ content, structuredContent }: ToolResult) => {
    expectNotice(content[0]?.text)
    expect(structuredContent).toMatchObject({ notice })
  }

  it("receives the sandbox notice in every result and every question", async () => {
    for (const [name, args] of calls) expectNoticeIn(await client.callTool(name, args))
    expect(questions).toHaveLength(1)
    expectNotice(questions[0])
  })

  it("receives it in every error", async () => {
    for (const [name, args] of failures) {
      const refused = await client.callTool(name, args)
      expect(refused.isError, JSON.stringify([name, args])).toBe(true)
      expectNoticeIn(refused)
    }
  })

  it("receives it in the instructions", () => {
    expectNotice(client.instructions)
  })
})

describe("Without --sandbox, a client", () => {
  it("receives no sandbox notice", async () => {
    await using sandbox = await openSandbox()
    const questions: Array<string> = []
    await using client = await connect(
      { kind: "2.x modern", transport: "stdio" },
      {
        environment: sandbox.env,
        elicit: (question) => {
          questions.push(question)
          return "accept"
        }
      }
    )
    const texts: Array<string | undefined> = []
    for (const [name, args] of [...calls, ...failures]) {
      texts.push((await client.callTool(name, args)).content[0]?.text)
    }
    expect(questions).not.toEqual([])
    for (const text of [...texts, ...questions]) expect(text).not.toContain("[Sandbox")
  })
})

describe("With --sandbox --inbox", () => {
  it("a page on this machine shows what was sent, and the instructions and the log have its URL", async () => {
    await using server = await openStdio("legacy", ["--sandbox", "--inbox"])
    const { url } = await server.server.log.entry("inbox")
    const { result } = await server.response("initialize")
    expect(result?.["instructions"]).toContain(`The person can see what was sent at ${String(url)}`)
    await server.ask(callOf("legacy", 1, "send_sms", sms))
    const page = await fetch(String(url))
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const listed = await fetch(`${String(url)}/_sandbox/messages`)
    expect(await listed.json()).toMatchObject({ messages: [sms] })
  })

  it("the page ends with the server", async () => {
    const server = await openStdio("legacy", ["--sandbox", "--inbox"])
    const { url } = await server.server.log.entry("inbox")
    server.server.stop()
    await server.server.ended
    await expect(fetch(String(url))).rejects.toThrow("fetch failed")
  })

  it("without --sandbox, --inbox is refused", async () => {
    expect(await runInProcess(["--inbox"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("so it needs --sandbox")
    })
  })
})
