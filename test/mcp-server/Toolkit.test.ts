import type { ToolkitOptions } from "@messaging-topup/mcp-server/toolkit"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { resetTime, stopTime } from "./support/Clock.ts"
import { Disposables } from "./support/Disposables.ts"
import { connect, type Elicit, type McpClient, type ToolResult } from "./support/McpClients.ts"
import { openSandbox, type RealSandbox } from "./support/RealSandbox.ts"
import { connectToolkit, type ToolkitClient } from "./support/ToolkitClient.ts"

/** What differs from run to run: the letters of ids, and times. */
const withoutChance = (result: ToolResult): unknown =>
  JSON.parse(
    JSON.stringify(result)
      .replaceAll(/sbx-(\d+)-\w+/g, "sbx-$1")
      .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "(id)")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
  )

interface Sides extends AsyncDisposable {
  readonly server: McpClient
  readonly toolkit: ToolkitClient
  /** How many such SMS each of the two services accepted. */
  readonly accepted: (text: string) => Promise<ReadonlyArray<number>>
}

/** A server and a toolkit with the same settings, each on a service of its own. */
const openSides = async (
  args: ReadonlyArray<string>,
  options: Partial<ToolkitOptions>,
  elicit?: Elicit
): Promise<Sides> => {
  await using opened = new Disposables()
  const [one, other] = [opened.use(await openSandbox()), opened.use(await openSandbox())]
  const settings = { args, environment: one.env, ...(elicit === undefined ? {} : { elicit }) }
  const server = opened.use(await connect({ kind: "2.x modern", transport: "stdio" }, settings))
  const toolkit = opened.use(connectToolkit({ environment: other.env, options, elicit }))
  const kept = opened.move()
  const countIn = async (upstream: RealSandbox, text: string) =>
    (await upstream.messages()).filter(({ message }) => message === text).length
  return {
    server,
    toolkit,
    accepted: async (text) => [await countIn(one, text), await countIn(other, text)],
    [Symbol.asyncDispose]: () => kept.disposeAsync()
  }
}

/** Makes the call on both sides, and returns its result, which is the same on both. */
const both = async (
  { server, toolkit }: Sides,
  name: string,
  args: object
): Promise<ToolResult> => {
  const expected = await server.callTool(name, args)
  const { _meta, ...result } = expected
  expect(withoutChance(await toolkit.callTool(name, args))).toEqual(withoutChance(result))
  return expected
}

beforeAll(stopTime)
afterAll(resetTime)

const sms = { recipient: "+254700000001", message: "Hello" }

const lists: ReadonlyArray<readonly [ReadonlyArray<string>, Partial<ToolkitOptions>, number]> = [
  [[], {}, 8],
  [["--tools", "send_sms,list_recent_sends"], { tools: ["send_sms", "list_recent_sends"] }, 2],
  [["--allow-webhook-hosts", "example.com"], { allowWebhookHosts: ["example.com"] }, 8]
]

it.each(lists)(
  "the tools have the same names, descriptions, arguments and hints as over MCP: %j",
  async (args, options, count) => {
    await using sides = await openSides(args, options)
    const listed = await sides.server.listTools()
    expect(listed).toHaveLength(count)
    expect(await sides.toolkit.listTools()).toEqual(
      listed.map(({ outputSchema: _, ...tool }) => tool)
    )
  }
)

describe("where nobody can be asked, the results are the same as over MCP", () => {
  const copy = { ...sms, send_again: true }
  const many = { message: "To all", recipients: ["+15551110001"] }

  it.each([
    ["auto", "sent", 1],
    ["off", "sent", 1],
    ["require", "not-sent", 0]
  ] as const)("with confirm %s", async (confirm, outcome, count) => {
    await using sides = await openSides(["--confirm", confirm], { confirm })
    const sent = await both(sides, "send_sms", sms)
    expect(sent.structuredContent).toMatchObject({ outcome })
    await both(sides, "send_sms", copy)
    await both(sides, "send_sms_batch", many)
    expect(await sides.accepted(sms.message)).toEqual([count, count])
  })
})

describe("with a person, the results are the same as over MCP:", () => {
  let sides: Sides
  let response: Elicit
  let questions: Array<string>

  beforeAll(async () => {
    const allowed = ["+1555*", "+254700000001"]
    sides = await openSides(
      ["--allow-recipients", allowed.join(",")],
      { allowRecipients: allowed },
      (question) => {
        questions.push(question)
        return response(question)
      }
    )
  })

  beforeEach(() => {
    response = () => "accept"
    questions = []
  })

  afterAll(() => sides[Symbol.asyncDispose]())

  /** Also the question is the same. */
  const call = async (name: string, args: object): Promise<ToolResult> => {
    const result = await both(sides, name, args)
    const [asked, ...again] = questions
    expect(again).toEqual(asked === undefined ? [] : [asked])
    questions = []
    return result
  }

  /** Sends on both sides, and checks the result: its outcome, the beginning of its text, and facts. */
  const expectSend = async (args: object, outcome: string, text: RegExp, facts: object = {}) => {
    const { content, structuredContent } = await call("send_sms", args)
    expect(structuredContent).toMatchObject({ outcome, ...facts })
    expect(content[0]?.text).toMatch(text)
  }

  it("previews", async () => {
    const text = { message: "“Hello” 🎉", recipient: sms.recipient }
    expect(await call("preview_sms", text)).toMatchObject({
      structuredContent: { encoding: "UCS-2", recipient: sms.recipient, sends_left_this_hour: 100 }
    })
    expect(await call("preview_sms", { ...text, recipient: "+4420" })).toMatchObject({
      structuredContent: { message: expect.stringContaining("cannot be sent") }
    })
  })

  it("an approved send, and the same again", async () => {
    await expectSend(sms, "sent", /^The SMS was sent/, { approved_by: "person" })
    await expectSend(sms, "sent", /^This call sent nothing/, { sent_by_this_call: false })
    expect(await sides.accepted("Hello")).toEqual([1, 1])
  })

  it("a second copy", async () => {
    response = (question) => (question.startsWith("Send a SECOND COPY") ? "accept" : "decline")
    await expectSend({ ...sms, send_again: true }, "sent", /^The SMS was sent/)
    expect(await sides.accepted("Hello")).toEqual([2, 2])
  })

  it.each(["decline", "cancel"] as const)("a %s", async (choice) => {
    response = () => choice
    const code = `confirmation_${choice === "cancel" ? "cancelled" : "declined"}`
    await expectSend({ ...sms, message: "Never" }, "not-sent", /^This call sent nothing/, { code })
    expect(await sides.accepted("Never")).toEqual([0, 0])
  })

  it("what the guards refuse", async () => {
    const refused = { code: "recipient_not_allowed" }
    await expectSend({ ...sms, recipient: "+4420" }, "not-sent", /^The SMS was not sent/, refused)
    const long = { ...sms, message: "long ".repeat(1000) }
    await expectSend(long, "not-sent", /segments/, { code: "too_many_segments" })
    const wrong = { message: "Hello", extra: "x" }
    await expectSend(wrong, "not-sent", /there is no such argument/, { code: "invalid_arguments" })
  })

  it("what the service refused", async () => {
    const unpaid = { recipient: "+15550000402", message: "No money" }
    await expectSend(unpaid, "not-sent", /402/, { http_status: 402 })
  })

  it("an unknown send, the same again, and a resend", async () => {
    // The sandbox accepts it and loses the response.
    const lost = { recipient: "+15550000900", message: "Lost" }
    await expectSend(lost, "unknown", /^It is unknown/)
    await expectSend(lost, "unknown", /^The SMS was not sent by this call/, {
      code: "unknown_not_resent"
    })
    response = (question) => (question.startsWith("Send this SMS AGAIN") ? "accept" : "decline")
    await expectSend({ ...lost, resend_unknown: true }, "unknown", /^It is unknown/)
    expect(await sides.accepted("Lost")).toEqual([2, 2])
  })

  it("a batch, and the same again", async () => {
    const batch = {
      message: "To all",
      recipients: ["+15551110001", "+15550000402", "+15551110002"]
    }
    expect(await call("send_sms_batch", batch)).toMatchObject({
      structuredContent: { outcome: "partly-sent", sent: 2, not_sent: 1 }
    })
    response = () => "decline"
    expect(await call("send_sms_batch", batch)).toMatchObject({
      structuredContent: { outcome: "not-sent", code: "confirmation_declined" }
    })
    expect(await sides.accepted("To all")).toEqual([2, 2])
  })

  it("reads", async () => {
    expect(await call("list_recent_sends", {})).toMatchObject({
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
    for (const [name, args] of reads) await call(name, args)
  })
})
