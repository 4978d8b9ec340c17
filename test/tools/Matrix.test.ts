import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { approve, type Person } from "../harness/mcp/GuardedServer.ts"
import { combinations, connect, type McpClient, textOf } from "../harness/mcp/McpClients.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import { messageOf, openHttp, post } from "../harness/mcp/RawHttp.ts"
import { initializeOf, type Message, openStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox, type RealSandbox } from "../harness/mcp/RealSandbox.ts"
import { type ToolName, toolNames } from "../harness/mcp/ToolNames.ts"

/** Returns the id of the SMS in a result. */
const idIn = ({ structuredContent }: { readonly structuredContent?: unknown }): string =>
  /"message_id":"([^"]+)"/.exec(JSON.stringify(structuredContent))?.[1] ?? "no message_id"

describe.each(combinations)("A client of the kind $kind over $transport", (combination) => {
  const opened = new Disposables()
  const questions: Array<string> = []
  let response: Person = () => approve
  let sandbox: RealSandbox
  let client: McpClient
  let number = 0

  /** A recipient that no test used before. */
  const fresh = () => `+2547${String(++number).padStart(3, "0")}9999`

  /** Returns what the service accepted during the call. */
  const acceptedDuring = async (run: () => Promise<unknown>) => {
    const { length } = await sandbox.messages()
    await run()
    const messages = await sandbox.messages()
    return messages.slice(0, messages.length - length)
  }

  beforeAll(async () => {
    sandbox = opened.use(await openSandbox())
    const person: Person = (question) => {
      questions.push(question)
      return response(question)
    }
    client = opened.use(await connect(combination, { environment: sandbox.env, person }))
  })

  afterAll(() => opened.disposeAsync())

  it("negotiates the newest revision that it supports", () => {
    expect(client.revision).toBe(combination.kind === "2.x modern" ? "2026-07-28" : "2025-11-25")
  })

  it("sees the tools", async () => {
    expect((await client.listTools()).map(({ name }) => name)).toEqual(toolNames)
  })

  it("calls every tool, and receives data that fit the schemas", async () => {
    // After this, the client checks every result against the listed schema.
    await client.listTools()
    const sms = { recipient: fresh(), message: "Hello" }
    const sent = await client.callTool("send_sms", sms)
    const id = idIn(sent)
    expect(sent.structuredContent).toMatchObject({
      outcome: "sent",
      sent_by_this_call: true,
      data: [{ recipient: sms.recipient, message_id: id }]
    })
    const calls: Readonly<Record<Exclude<ToolName, "send_sms">, readonly [object, object]>> = {
      preview_sms: [{ message: "Hello" }, { segments: 1, encoding: "GSM-7" }],
      get_sms_status: [{ message_id: id }, { data: [{ message_id: id }] }],
      get_airtime_status: [{ referencecode: "AIR-1001" }, { data: [{ amount: "10.00" }] }],
      get_data_bundle_status: [{ referencecode: "DATA-2001" }, { transaction_id: "sbx-data-2001" }],
      list_data_bundles: [{ limit: 1 }, { category: [{ price: "0.50" }] }],
      list_recent_sends: [{}, { data: [{ outcome: "sent", message_id: id }] }],
      send_sms_batch: [
        { message: "Hello all", recipients: [fresh(), fresh()] },
        { outcome: "sent", sent: 2, data: [expect.anything(), expect.anything()] }
      ]
    }
    for (const [name, [args, data]] of Object.entries(calls)) {
      const returned = await client.callTool(name, args)
      expect(returned.isError, name).not.toBe(true)
      expect(returned.structuredContent, name).toMatchObject(data)
    }
  })

  it("asks once, shows what will be sent, and sends one SMS after the approval", async () => {
    questions.length = 0
    response = () => approve
    const message = "Grüße 🎉"
    const accepted = await acceptedDuring(async () => {
      const sent = await client.callTool("send_sms", {
        recipient: "00254 (711) 000-001",
        message,
        sender_id: "ACME"
      })
      expect(textOf(sent)).toMatch(/^The SMS was sent: the service accepted it\./)
    })
    expect(questions).toEqual([
      `Send this SMS? To +254711000001, from "ACME", 1 segment: "${message}"`
    ])
    expect(accepted).toMatchObject([{ recipient: "+254711000001", message, sender_id: "ACME" }])
  })

  it("sends nothing if the call is cancelled while the question is open", async () => {
    const controller = new AbortController()
    response = () => {
      controller.abort()
      return approve
    }
    const accepted = await acceptedDuring(async () => {
      const call = client.callTool(
        "send_sms",
        { recipient: fresh(), message: "Never" },
        { signal: controller.signal }
      )
      await expect(call).rejects.toThrow(/abort/i)
      response = () => approve
      // When this call has its result, the first one would have been sent too.
      await client.callTool("send_sms", { recipient: fresh(), message: "Later" })
    })
    expect(accepted).toMatchObject([{ message: "Later" }])
  })
})

/** The header with the revision exists since 2025-06-18. */
describe.each(["2024-11-05", "2025-03-26", "2025-06-18"])("A client of %s", (revision) => {
  const list = requestOf("legacy", 2, "tools/list")
  const request = initializeOf(1)
  const initialize = { ...request, params: { ...request.params, protocolVersion: revision } }

  const expectKept = (initialized: Message, listed: Message) => {
    const serverInfo = { name: "messaging-topup" }
    expect(initialized).toMatchObject({ id: 1, result: { protocolVersion: revision, serverInfo } })
    expect(listed).toMatchObject({ id: 2, result: { tools: toolNames.map((name) => ({ name })) } })
  }

  it("keeps its revision over stdio", async () => {
    // Without a handshake of this era.
    await using stdio = await openStdio("modern")
    expectKept(await stdio.ask(initialize), await stdio.ask(list))
  })

  it("keeps its revision over HTTP", async () => {
    await using http = await openHttp()
    const response = await post(http.url, initialize)
    const headers = {
      "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
      ...(revision === "2025-06-18" ? { "mcp-protocol-version": revision } : {})
    }
    const listed = await post(http.url, list, { headers })
    expectKept(await messageOf(response), await messageOf(listed))
  })
})
