import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { resetTime, stopTime } from "./support/Clock.ts"
import { Disposables } from "./support/Disposables.ts"
import { connect, type Elicit, type McpClient, type ToolResult } from "./support/McpClients.ts"
import { openSandbox, type RealSandbox } from "./support/RealSandbox.ts"
import { connectToolkit, type ToolkitClient } from "./support/ToolkitClient.ts"
import { toolNames } from "./support/ToolNames.ts"

const allowed = ["+1555*", "+254700000001"]

/** What differs from run to run: the letters of ids, and times. */
const withoutChance = (result: ToolResult): unknown =>
  JSON.parse(
    JSON.stringify(result)
      .replaceAll(/sbx-(\d+)-\w+/g, "sbx-$1")
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "(id)")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
  )

describe("the tools of the toolkit and of the MCP server", () => {
  const opened = new Disposables()
  let response: Elicit
  let questions: Array<string>
  let upstreams: ReadonlyArray<RealSandbox>
  let clients: readonly [McpClient, ToolkitClient]

  const elicit: Elicit = (question) => {
    questions.push(question)
    return response(question)
  }

  beforeAll(async () => {
    stopTime()
    upstreams = [opened.use(await openSandbox()), opened.use(await openSandbox())]
    const [one, other] = upstreams
    clients = [
      opened.use(
        await connect(
          { kind: "2.x modern", transport: "stdio" },
          {
            args: ["--allow-recipients", allowed.join(",")],
            environment: one?.env ?? {},
            elicit
          }
        )
      ),
      opened.use(
        connectToolkit({
          environment: other?.env ?? {},
          options: { allowRecipients: allowed },
          elicit
        })
      )
    ]
  })

  beforeEach(() => {
    response = () => "accept"
    questions = []
  })

  afterAll(async () => {
    await opened.disposeAsync()
    resetTime()
  })

  /** Makes the call on both sides, and returns its result, which is the same on both. */
  const both = async (name: string, args: object): Promise<ToolResult> => {
    const [server, toolkit] = clients
    const expected = await server.callTool(name, args)
    const { _meta, ...result } = expected
    expect(withoutChance(await toolkit.callTool(name, args))).toEqual(withoutChance(result))
    const [asked, ...again] = questions
    expect(again).toEqual(asked === undefined ? [] : [asked])
    questions = []
    return expected
  }

  it("have the same names, descriptions, arguments and hints", async () => {
    const [server, toolkit] = clients
    const listed = await server.listTools()
    expect(await toolkit.listTools()).toEqual(listed.map(({ outputSchema: _, ...tool }) => tool))
    expect(listed.map(({ name }) => name)).toEqual(toolNames)
  })

  const sms = { recipient: "+254700000001", message: "Hello" }

  /** Sends on both sides, and checks the result: its outcome, the beginning of its text, and facts. */
  const expectSend = async (args: object, outcome: string, text: RegExp, facts: object = {}) => {
    const { content, structuredContent } = await both("send_sms", args)
    expect(structuredContent).toMatchObject({ outcome, ...facts })
    expect(content[0]?.text).toMatch(text)
  }

  /** How many such SMS each of the two services accepted. */
  const accepted = async (text: string) =>
    (await Promise.all(upstreams.map((upstream) => upstream.accepted()))).map(
      (all) => all.filter(({ message }) => message === text).length
    )

  it("preview a text alike", async () => {
    const text = { message: "“Hello” 🎉", recipient: sms.recipient }
    expect(await both("preview_sms", text)).toMatchObject({
      structuredContent: { encoding: "UCS-2", recipient: sms.recipient, sends_left_this_hour: 100 }
    })
    expect(await both("preview_sms", { ...text, recipient: "+4420" })).toMatchObject({
      structuredContent: { message: expect.stringContaining("cannot be sent") }
    })
  })

  it("send what a person approved, once", async () => {
    await expectSend(sms, "sent", /^The SMS was sent/, { approved_by: "person" })
    await expectSend(sms, "sent", /^This call sent nothing/, { sent_by_this_call: false })
    expect(await accepted("Hello")).toEqual([1, 1])
  })

  it("send a second copy after an approval of its own", async () => {
    response = (question) => (question.startsWith("Send a SECOND COPY") ? "accept" : "decline")
    await expectSend({ ...sms, send_again: true }, "sent", /^The SMS was sent/)
    expect(await accepted("Hello")).toEqual([2, 2])
  })

  it.each(["decline", "cancel"] as const)("send nothing after a %s", async (choice) => {
    response = () => choice
    const code = `confirmation_${choice === "cancel" ? "cancelled" : "declined"}`
    await expectSend({ ...sms, message: "Never" }, "not-sent", /^This call sent nothing/, { code })
    expect(await accepted("Never")).toEqual([0, 0])
  })

  it("refuse what the guards refuse", async () => {
    const refused = { code: "recipient_not_allowed" }
    await expectSend({ ...sms, recipient: "+4420" }, "not-sent", /^The SMS was not sent/, refused)
    const long = { ...sms, message: "long ".repeat(1000) }
    await expectSend(long, "not-sent", /segments/, { code: "too_many_segments" })
    const wrong = { message: "Hello", extra: "x" }
    await expectSend(wrong, "not-sent", /there is no such argument/, { code: "invalid_arguments" })
  })

  it("say what the service refused", async () => {
    const unpaid = { recipient: "+15550000402", message: "No money" }
    await expectSend(unpaid, "not-sent", /402/, { http_status: 402 })
  })

  it("do not resend what is unknown, unless a person accepts that", async () => {
    // The sandbox accepts it and loses the response.
    const lost = { recipient: "+15550000900", message: "Lost" }
    await expectSend(lost, "unknown", /^It is unknown/)
    await expectSend(lost, "unknown", /^The SMS was not sent by this call/, {
      code: "unknown_not_resent"
    })
    response = (question) => (question.startsWith("Send this SMS AGAIN") ? "accept" : "decline")
    await expectSend({ ...lost, resend_unknown: true }, "unknown", /^It is unknown/)
    expect(await accepted("Lost")).toEqual([2, 2])
  })

  it("send a batch with one approval, and report it again", async () => {
    const batch = {
      message: "To all",
      recipients: ["+15551110001", "+15550000402", "+15551110002"]
    }
    expect(await both("send_sms_batch", batch)).toMatchObject({
      structuredContent: { outcome: "partly-sent", sent: 2, not_sent: 1 }
    })
    response = () => "decline"
    expect(await both("send_sms_batch", batch)).toMatchObject({
      structuredContent: { outcome: "not-sent", code: "confirmation_declined" }
    })
    expect(await accepted("To all")).toEqual([2, 2])
  })

  it("read alike", async () => {
    expect(await both("list_recent_sends", {})).toMatchObject({
      content: [{ text: expect.stringContaining("2 of unknown outcome") }]
    })
    const reads: ReadonlyArray<readonly [string, object]> = [
      ["get_sms_status", { message_id: "sbx-0404" }],
      ["get_sms_status", { message_ids: ["sbx-0404", "sbx-0500"] }],
      ["get_airtime_status", { referencecode: "AIR-1001" }],
      ["get_data_bundle_status", { referencecode: "DATA-2001" }],
      ["list_data_bundles", { sort: "price", limit: 3 }],
      ["list_data_bundles", { limit: 0 }]
    ]
    for (const [name, args] of reads) await both(name, args)
  })
})
