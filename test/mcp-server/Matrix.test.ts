import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type Combination,
  combinations,
  connect,
  type ConnectSettings,
  type Elicit,
  type McpClient,
  type ProgressReport,
  titleOf,
  transports
} from "./support/McpClients.ts"
import { Disposables } from "./support/Disposables.ts"
import { startInProcess } from "./support/InProcessServer.ts"
import { openSandbox, slowRecipient, type RealSandbox } from "./support/RealSandbox.ts"
import type { RunningServer } from "./support/RunningServer.ts"
import { toolNames } from "./support/ToolNames.ts"

const errorOf = ({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }) =>
  _meta?.["messaging-topup/error"]

const textOf = ({ content }: Awaited<ReturnType<McpClient["callTool"]>>) => content[0]?.text

/** Returns the id of the SMS in a result. */
const idIn = ({ structuredContent }: { readonly structuredContent?: unknown }): string =>
  /"message_id":"([^"]+)"/.exec(JSON.stringify(structuredContent))?.[1] ?? "no message_id"

const templateUri = "messaging-topup://sms/{message_id}"

describe.each(combinations.map((combination) => [titleOf(combination), combination] as const))(
  "A client of the kind %s",
  (_title, combination: Combination) => {
    const opened = new Disposables()
    const questions: Array<string> = []
    let response: Elicit = () => "accept"
    let sandbox: RealSandbox
    let client: McpClient
    let number = 0

    const open = async (settings: ConnectSettings) =>
      opened.use(await connect(combination, { environment: sandbox.env, ...settings }))

    /** A recipient that no test used before. */
    const fresh = (suffix = "") => `+2547${String(++number).padStart(3, "0")}9999${suffix}`

    /** Returns what the service accepted during the call. */
    const acceptedDuring = async (run: () => Promise<unknown>) => {
      const before = await sandbox.accepted()
      await run()
      return (await sandbox.accepted()).slice(before.length)
    }

    beforeAll(async () => {
      sandbox = opened.use(await openSandbox())
      client = await open({
        elicit: (question) => {
          questions.push(question)
          return response(question)
        }
      })
    })

    afterAll(() => opened.disposeAsync())

    it("negotiates the newest revision that it supports", () => {
      expect(client.revision).toBe(combination.kind === "2.x modern" ? "2026-07-28" : "2025-11-25")
    })

    it("sees the tools, the resources and the prompt", async () => {
      expect((await client.listTools()).map(({ name }) => name)).toEqual(toolNames)
      expect(await client.listResources()).toMatchObject([
        { name: "data_bundles", uri: "messaging-topup://data-bundles" }
      ])
      expect(await client.listTemplates()).toMatchObject([
        { name: "sms_status", uriTemplate: templateUri }
      ])
      expect(await client.listPrompts()).toMatchObject([{ name: "send_message_safely" }])
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
      const reads: ReadonlyArray<readonly [string, object, object]> = [
        ["preview_sms", { message: "Hello" }, { segments: 1, encoding: "GSM-7" }],
        ["get_sms_status", { message_id: id }, { data: [{ message_id: id }] }],
        ["get_airtime_status", { referencecode: "AIR-1001" }, { data: [{ amount: "10.00" }] }],
        [
          "get_data_bundle_status",
          { referencecode: "DATA-2001" },
          { transaction_id: "sbx-data-2001" }
        ],
        ["list_data_bundles", { limit: 1 }, { category: [{ price: "0.50" }] }],
        ["list_recent_sends", {}, { data: [{ outcome: "sent", message_id: id }] }]
      ]
      expect([...reads.map(([name]) => name), "send_sms"].toSorted()).toEqual(toolNames.toSorted())
      for (const [name, args, data] of reads) {
        const returned = await client.callTool(name, args)
        expect(returned.isError, name).not.toBe(true)
        expect(returned.structuredContent, name).toMatchObject(data)
      }
    })

    it("asks once, shows what will be sent, and sends one SMS after the approval", async () => {
      questions.length = 0
      response = () => "accept"
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
        `Send this SMS?\nTo: +254711000001\nFrom: "ACME"\nText (1 segment, UCS-2):\n> ${message}`
      ])
      expect(accepted).toMatchObject([
        { recipient: "00254 (711) 000-001", message, sender_id: "ACME" }
      ])
    })

    it.each([
      ["decline", "confirmation_declined", /^The SMS was not sent: the person declined\./],
      ["cancel", "confirmation_cancelled", /^The SMS was not sent: the person closed the question/]
    ] as const)("sends nothing on a %s", async (choice, code, text) => {
      questions.length = 0
      response = () => choice
      const accepted = await acceptedDuring(async () => {
        const refused = await client.callTool("send_sms", { recipient: fresh(), message: "No" })
        expect(refused).toMatchObject({ isError: true })
        expect(errorOf(refused)).toMatchObject({ code })
        expect(textOf(refused)).toMatch(text)
      })
      expect(questions).toHaveLength(1)
      expect(accepted).toEqual([])
    })

    it("sends nothing if the call is cancelled while the question is open", async () => {
      const controller = new AbortController()
      response = () => {
        controller.abort()
        return "accept"
      }
      const accepted = await acceptedDuring(async () => {
        const call = client.callTool(
          "send_sms",
          { recipient: fresh(), message: "Never" },
          { signal: controller.signal }
        )
        await expect(call).rejects.toThrow(/abort/i)
        response = () => "accept"
        // When this call has its result, the first one would have been sent too.
        await client.callTool("send_sms", { recipient: fresh(), message: "Later" })
      })
      expect(accepted).toMatchObject([{ message: "Later" }])
    })

    it("finishes a send whose call is cancelled in flight, and remembers its outcome", async () => {
      await using slow = await openSandbox()
      await using other = await connect(combination, { environment: slow.env })
      const controller = new AbortController()
      const sms = { recipient: slowRecipient, message: "Gone?" }
      const call = other.callTool("send_sms", sms, { signal: controller.signal })
      const failure = call.catch(String)
      await slow.awaitReceived(1)
      controller.abort()
      expect(await failure).toMatch(/abort/i)
      await slow.hurry()
      await other.log.entry("send", ({ outcome }) => outcome === "sent")
      const again = await other.callTool("send_sms", sms)
      expect(again.structuredContent).toMatchObject({ outcome: "sent", sent_by_this_call: false })
      expect(await slow.accepted()).toHaveLength(1)
    })

    it("is notified of the progress of a send, once and before its result", async () => {
      response = () => "accept"
      const reports: Array<ProgressReport> = []
      await client.callTool(
        "send_sms",
        { recipient: fresh(), message: "Progress" },
        { onprogress: (report) => reports.push(report) }
      )
      // A 2.x client adds a report of its own for the question; that one has no total.
      expect(reports.filter(({ total }) => total !== undefined)).toMatchObject([
        {
          progress: 1,
          total: 2,
          message: expect.stringMatching(/^Sending\. Cancelling does not stop it/)
        }
      ])
    })

    it("receives failures of the service as results that say what happened", async () => {
      response = () => "accept"
      const accepted = await acceptedDuring(async () => {
        const unpaid = await client.callTool("send_sms", {
          recipient: fresh("0402"),
          message: "Unpaid"
        })
        expect(unpaid).toMatchObject({ isError: true })
        expect(unpaid.structuredContent).toMatchObject({
          message: expect.stringMatching(/^The SMS was not sent\./),
          code: "send_failed",
          outcome: "not-sent"
        })
        expect(errorOf(unpaid)).toMatchObject({
          code: "send_failed",
          error: "PaymentRequired",
          http_status: 402,
          outcome: "not-sent"
        })
        expect(textOf(unpaid)).toMatch(/^The SMS was not sent\. .*HTTP 402/)
      })
      expect(accepted).toEqual([])
      const unknown = await client.callTool("get_sms_status", { message_id: "x0404" })
      expect(unknown).toMatchObject({ isError: true })
      expect(errorOf(unknown)).toMatchObject({
        code: "read_failed",
        error: "NotFound",
        http_status: 404
      })
      expect(textOf(unknown)).toMatch(/^The SMS status could not be read\. .*HTTP 404/)
    })

    it("reads the resources, and completes the id of its own message", async () => {
      response = () => "accept"
      const bundles: unknown = JSON.parse(
        await client.readResource("messaging-topup://data-bundles")
      )
      expect(bundles).toMatchObject({ category: { length: 12 } })
      const id = idIn(await client.callTool("send_sms", { recipient: fresh(), message: "Hello" }))
      const status: unknown = JSON.parse(
        await client.readResource(`messaging-topup://sms/${encodeURIComponent(id)}`)
      )
      expect(status).toMatchObject({ data: [{ message_id: id }] })
      const complete = (value: string) =>
        client.complete({ uri: templateUri, name: "message_id", value })
      expect(await complete(id.slice(0, -1))).toEqual([id])
      expect((await complete(""))[0]).toBe(id)
      expect(await complete("none")).toEqual([])
    })

    it("receives the reason why the status of an unknown message cannot be read", async () => {
      await expect(client.readResource("messaging-topup://sms/nope")).rejects.toThrow(
        /The SMS status could not be read\. .*HTTP 404/
      )
    })

    it("receives the prompt with its arguments", async () => {
      const args = { recipient: "+254700000001", message: 'Say "hello"' }
      const text = await client.getPrompt("send_message_safely", args)
      expect(text).toContain(JSON.stringify(args))
      expect(text).toMatch(/1\. Call preview_sms .*\n2\. Wait for my approval\./)
    })

    it("sends without a question if it cannot ask, unless the server requires an approval", async () => {
      const lenient = await open({})
      const strict = await open({ args: ["--confirm", "require"] })
      const sms = { recipient: fresh(), message: "Unasked" }
      const sent = await acceptedDuring(() => lenient.callTool("send_sms", sms))
      expect(sent).toMatchObject([sms])
      const refused = await acceptedDuring(async () => {
        const refusal = await strict.callTool("send_sms", sms)
        expect(errorOf(refusal)).toMatchObject({ code: "confirmation_unavailable" })
        expect(refusal).toMatchObject({ isError: true })
      })
      expect(refused).toEqual([])
    })
  }
)

const olderRevisions = ["2024-11-05", "2025-03-26", "2025-06-18"]

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } }
})

const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }

const list = { jsonrpc: "2.0", id: 2, method: "tools/list" }

/** Sends a message, and returns its response. A notification has none. */
type Ask = (message: object) => Promise<string>

const askStdio = (server: RunningServer): Ask => {
  return async (message) => {
    server.stdin.write(`${JSON.stringify(message)}\n`)
    if (!("id" in message)) return ""
    const [line] = await server.until(
      "stdout",
      new RegExp(`^.*"id":${String(message.id)}\\b.*$`, "m")
    )
    return line
  }
}

const askHttp = async (server: RunningServer, revision: string) => {
  const url = await server.url()
  let session: Record<string, string> = {}
  const ask: Ask = async (message) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...session
      },
      body: JSON.stringify(message)
    })
    const id = response.headers.get("mcp-session-id")
    if (id !== null) {
      // The header with the revision exists since 2025-06-18.
      session = {
        "mcp-session-id": id,
        ...(revision === "2025-06-18" ? { "mcp-protocol-version": revision } : {})
      }
    }
    const body = await response.text()
    return /^data: (.+)$/m.exec(body)?.[1] ?? body
  }
  return ask
}

describe.each(transports)("Over %s, a client of a legacy revision", (transport) => {
  it.each(olderRevisions)("keeps its revision: %s", async (revision) => {
    const http = transport === "stdio" ? [] : ["--http", "--port", "0"]
    await using server = startInProcess(["--sandbox", ...http])
    const ask = transport === "stdio" ? askStdio(server) : await askHttp(server, revision)
    expect(JSON.parse(await ask(initialize(revision)))).toMatchObject({
      id: 1,
      result: { protocolVersion: revision, serverInfo: { name: "messaging-topup" } }
    })
    await ask(initialized)
    expect(JSON.parse(await ask(list))).toMatchObject({
      id: 2,
      result: { tools: toolNames.map((name) => ({ name })) }
    })
  })
})
