import { describe, expect, it } from "vitest"
import { approve } from "../harness/mcp/GuardedServer.ts"
import { runInProcess } from "../harness/mcp/Server.ts"
import { connect, textOf } from "../harness/mcp/McpClients.ts"
import { callOf, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const notice = "[Sandbox: nothing is really sent or bought.]"

const sms = { recipient: "+254700000001", message: "Hello" }

const calls: ReadonlyArray<readonly [tool: string, args: object, fails?: true]> = [
  ["preview_sms", { message: "Hello" }],
  ["send_sms", sms],
  ["get_sms_status", { message_id: "any" }, true],
  ["get_airtime_status", { referencecode: "AIR-1001" }],
  ["get_data_bundle_status", { referencecode: "DATA-2001" }],
  ["list_data_bundles", {}],
  ["send_sms", {}, true],
  ["send_sms", { ...sms, recipient: "+15550000402" }, true],
  ["send_sms", { ...sms, recipient: "+15550000900" }, true],
  ["send_sms", { ...sms, message: "x".repeat(5000) }, true],
  ["get_sms_status", { message_id: "x0404" }, true],
  ["get_airtime_status", { referencecode: "x0500" }, true],
  ["preview_sms", { text: "Hello" }, true]
]

it.each([true, false])(
  "the sandbox notice is in every result, error and question, and in the instructions, with --sandbox alone: %s",
  async (isSandbox) => {
    await using sandbox = await openSandbox()
    const questions: Array<string> = []
    await using client = await connect(undefined, {
      ...(isSandbox ? { args: ["--sandbox"] } : { environment: sandbox.env }),
      person: (question) => {
        questions.push(question)
        return approve
      }
    })
    const texts = [client.instructions ?? ""]
    for (const [name, args, fails = false] of calls) {
      const result = await client.callTool(name, args)
      expect(result.isError === true, `${name} ${JSON.stringify(args)}`).toBe(fails)
      const facts = JSON.stringify(result.structuredContent)
      expect(facts.includes(`"notice":"${notice}"`), name).toBe(isSandbox)
      texts.push(textOf(result))
    }
    expect(questions).not.toEqual([])
    for (const text of [...texts, ...questions]) {
      if (isSandbox) expect(text.slice(0, notice.length + 1)).toBe(`${notice} `)
      else expect(text).not.toContain("[Sandbox")
    }
  }
)

it.each([["--sandbox"], ["--journal=memory"]])(
  "nobody is sent to decide about a send of a journal in memory: %s",
  async (...args) => {
    await using sandbox = await openSandbox()
    const questions: Array<string> = []
    await using client = await connect(undefined, {
      args,
      environment: sandbox.env,
      person: (question) => {
        questions.push(question)
        return approve
      }
    })
    const lost = { recipient: "+15550000900", message: "Hello" }
    const batch = { message: "Hello", recipients: [lost.recipient, "+15551000900"] }
    const unknown: ReadonlyArray<readonly [tool: string, args: object]> = [
      ["send_sms", lost],
      ["send_sms", lost],
      ["send_sms", { ...lost, again: true }],
      ["send_sms", lost],
      ["send_sms", { ...lost, message: "Hello again" }],
      ["send_sms_batch", batch],
      ["list_recent_sends", {}]
    ]
    const results = new Array<string>()
    for (const [tool, given] of unknown) {
      results.push(JSON.stringify(await client.callTool(tool, given)))
    }
    const batchId = /"batch_id":"([^"]+)"/.exec(results.at(-2) ?? "")?.[1]
    results.push(JSON.stringify(await client.callTool("get_sms_status", { batch_id: batchId })))
    for (const result of results) {
      expect(result).not.toMatch(/"id\\?":|unknown_ids|resolve/)
      expect(result).toContain(
        "Nobody can decide about an unknown one: this server's journal is in memory, and forgets it at a restart."
      )
    }
    const sent = { recipient: "+15550103010", message: "Hello" }
    await client.callTool("send_sms", sent)
    expect(textOf(await client.callTool("send_sms", sent))).toMatch(
      / Until \d{4}-\d\d-\d\d \d\d:\d\d UTC, or a restart of this server, the same call returns its result/
    )
    const recipients = ["+15550103011"]
    expect(textOf(await client.callTool("list_recent_sends", { recipients }))).toMatch(
      / This server remembers, only since it started at \d{4}-\d\d-\d\d \d\d:\d\d UTC, what the service accepted /
    )
    expect(questions.join()).toContain("It is not known whether 2 earlier SMS to this number")
    expect(questions.join()).not.toMatch(/\bids? \d/)
  }
)

describe("With --sandbox --inbox", () => {
  it("a page on this machine shows what was sent, and ends with the server", async () => {
    const { ask, response, server } = await openStdio("legacy", ["--sandbox", "--inbox"])
    const url = String((await server.log.entry("inbox"))["url"])
    const { result } = await response("initialize")
    expect(result?.["instructions"]).not.toContain("http:")
    const sent = JSON.stringify(await ask(callOf("legacy", 1, "send_sms", sms)))
    expect(sent).toContain(`; the person sees it at ${url} in a browser.]`)
    const page = await fetch(url)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const listed = await fetch(`${url}/_sandbox/messages`)
    expect(await listed.json()).toMatchObject({ messages: [sms] })
    server.stop()
    await server.ended
    await expect(fetch(url)).rejects.toThrow("fetch failed")
  })

  it("without --sandbox, --inbox is refused", async () => {
    expect(await runInProcess(["--inbox"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("so it needs --sandbox")
    })
  })
})
