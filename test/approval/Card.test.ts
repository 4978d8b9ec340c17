/** The approval card, without a browser: `CardPage.full.test.ts` has the page. */
import { uri } from "@messaging-topup/mcp-server/src/card/Card.ts"
import type { Transport } from "@modelcontextprotocol/client"
import { describe, expect, it } from "vitest"
import { connectCards, showsCards } from "../harness/mcp/CardClient.ts"
import {
  anyRoute,
  type Card,
  decline,
  eachOnce,
  guarded,
  type Route,
  routes,
  serve
} from "../harness/mcp/GuardedServer.ts"
import { envelope, openStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import type { Environment } from "../harness/mcp/Server.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

/** Starts a server, and connects a client to it. */
const open = async (
  { era, over }: Route,
  args: ReadonlyArray<string> = [],
  capabilities = showsCards,
  { key, ...environment }: Environment = {}
) => {
  const connectTo = (transport: Transport) => connectCards(era, transport, capabilities)
  const server = await serve(over, args, environment, connectTo, key)
  return {
    ...server,
    another: (otherKey?: string) => connectTo(server.open(otherKey)),
    sent: async () => (await server.upstream.messages()).map(({ recipient }) => recipient)
  }
}

it("a client that says later that it shows cards gets none: nothing would take its decision", async () => {
  await using sandbox = await openSandbox()
  await using stdio = await openStdio("modern", [], { env: sandbox.env })
  const { result } = await stdio.ask(requestOf("modern", 1, "tools/list"))
  expect(JSON.stringify(result)).not.toContain("decide_sms")
  const params = { name: "send_sms", arguments: sms, _meta: envelope(showsCards) }
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params }
  expect((await stdio.ask(call)).result).toMatchObject({
    isError: true,
    structuredContent: { code: "confirmation_unavailable" }
  })
})

describe.for(routes)("a client that shows cards, $era over $over,", (route) => {
  it("is offered the page, and a tool that only the page may call", async () => {
    await using server = await open(route)
    const { client } = server
    const { tools } = await client.listTools()
    const uiOf = (tool: string) => tools.find(({ name }) => name === tool)?._meta?.["ui"]
    expect(uiOf("decide_sms")).toEqual({ visibility: ["app"] })
    for (const name of ["send_sms", "send_sms_batch"])
      expect(uiOf(name)).toEqual({ resourceUri: uri })
    expect(uiOf("preview_sms")).toBeUndefined()
    expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: false })
    expect((await client.listResources()).resources).toMatchObject([
      { uri, mimeType: "text/html;profile=mcp-app" }
    ])
    const { contents } = await client.readResource({ uri })
    expect(contents).toMatchObject([
      {
        uri,
        mimeType: "text/html;profile=mcp-app",
        text: expect.stringMatching(/^<!doctype html>/)
      }
    ])
  })

  it("sends only what the person approves, and the model never reads the sealed question", async () => {
    await using server = await open(route)
    const before = Date.now()
    const asked = await server.call("send_sms", sms)
    const expiresAt = Date.parse(asked.card.expiresAt) - 10 * 60_000
    expect(expiresAt).toBeGreaterThanOrEqual(before)
    expect(expiresAt).toBeLessThanOrEqual(Date.now())
    expect(asked).toMatchObject({
      isError: false,
      structured: { code: "confirmation_on_card", outcome: "not-sent", sent_by_this_call: false },
      text: expect.stringMatching(
        /^This call sent nothing: .* If they see no card, tell them .* The question expires at \d{4}-/
      )
    })
    expect(JSON.stringify(asked.forModel)).not.toContain(asked.card.state)
    expect(asked.card).toMatchObject({
      call: { tool: "send_sms", arguments: sms },
      asked: "Send this SMS?",
      facts: ["1 segment"],
      texts: [{ text: "Hello", to: ["+254700000001"] }]
    })
    expect(await server.sent()).toEqual([])
    // Whoever has the state decides: that a model does not get it is the promise of the host.
    const sent = await server.decide(asked.card, "accept")
    expect(sent.structured).toMatchObject({ outcome: "sent", approved_by: "person" })
    const used = await server.decide(asked.card, "accept")
    expect(used).toMatchObject({ isError: false, structured: { sent_by_this_call: false } })
    expect(await server.sent()).toEqual([sms.recipient])
  })
})

const plain: ReadonlyArray<readonly [string, ReadonlyArray<string>, typeof showsCards]> = [
  ["a client without the extension", [], {}],
  [
    "a client with the extension for other pages",
    [],
    { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } }
  ],
  ["a client that has a form, too", [], { ...showsCards, elicitation: { form: {} } }],
  ["--cards off", ["--cards=off"], showsCards],
  ["--read-only", ["--read-only"], showsCards]
]

describe.for(eachOnce)("there is no card, $era over $over,", (route) => {
  it.each(plain)("for %s", async (_, args, capabilities) => {
    await using server = await open(route, args, capabilities)
    const { client } = server
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain("decide_sms")
    expect(tools.filter(({ _meta }) => _meta !== undefined)).toEqual([])
    expect(client.getServerCapabilities()).not.toHaveProperty("resources")
    await expect(client.readResource({ uri })).rejects.toThrow("Method not found")
    const state = { tool: "send_sms", arguments: sms, state: "x", action: "accept" }
    await expect(server.call("decide_sms", state)).rejects.toThrow("not found")
    expect(await server.sent()).toEqual([])
  })
})

it("asks with --confirm require, and with --confirm off only about second sends", async () => {
  await using strict = await open(anyRoute, ["--confirm=require"])
  expect((await strict.call("send_sms", sms)).structured["code"]).toBe("confirmation_on_card")
  await using loose = await open(anyRoute, ["--confirm=off", "--allow-recipients=*"])
  expect((await loose.call("send_sms", sms)).structured["outcome"]).toBe("sent")
  const again = await loose.call("send_sms", { ...sms, again: true })
  expect(again.structured).toMatchObject({ code: "confirmation_on_card", outcome: "sent" })
  expect(again.card.asked).toBe(
    "Send this SMS AGAIN? The service accepted it already, so it arrives twice."
  )
  await loose.decide(again.card, "accept")
  expect(await loose.sent()).toHaveLength(2)
})

it("shows all of a hundred recipients and texts, as they are sent", async () => {
  await using server = await open(anyRoute)
  const recipients = Array.from(
    { length: 100 },
    (_, at) => `+2547000001${String(at).padStart(2, "0")}`
  )
  const message = `${"x".repeat(300)}\n<b>\u202eend`
  const rows = recipients.map((recipient, at) => ({ recipient, message: at < 60 ? message : "Hi" }))
  const asked = await server.call("send_sms_batch", { rows })
  expect(asked.card).toMatchObject({
    asked: "Send 100 SMS?",
    texts: [
      { text: `${"x".repeat(300)}\n<b><U+202E>end`, to: recipients.slice(0, 60) },
      { text: "Hi", to: recipients.slice(60) }
    ]
  })
  const sent = await server.decide(asked.card, "accept")
  expect(sent.structured).toMatchObject({ outcome: "sent", sent: 100, approved_by: "person" })
  expect((await server.sent()).toSorted()).toEqual(recipients)
})

const many = ["--max-sends-per-hour=1000"]

/** What takes most bytes of all that can be asked, with the approval. */
const longest: ReadonlyArray<readonly [string, ReadonlyArray<string>, object]> = [
  [
    "1,000 recipients",
    [...many, "--max-batch=1000"],
    {
      recipients: Array.from({ length: 1_000 }, (_, at) => `+254700${String(at).padStart(6, "0")}`),
      message: "Hi"
    }
  ],
  [
    "100 texts of the longest allowed",
    many,
    {
      rows: Array.from({ length: 100 }, (_, at) => ({
        recipient: `+2547000001${String(at).padStart(2, "0")}`,
        message: "\u6f22".repeat(402)
      }))
    }
  ]
]

describe.for(longest)("what can be asked over HTTP can be approved: %s,", ([, args, call]) => {
  const route: Route = { era: "modern", over: "http" }
  const declined = { error: { code: "confirmation_declined" } }

  it("by a form", async () => {
    await using server = await guarded(route, args, { person: () => decline })
    expect(await server.call("send_sms_batch", call)).toMatchObject(declined)
    expect(server.questions).toHaveLength(1)
  })

  it("by a card", async () => {
    await using server = await open(route, args)
    const { card } = await server.call("send_sms_batch", call)
    // First sends add nothing to it.
    expect(card.state.length).toBeLessThan(500)
    expect(await server.decide(card, "decline")).toMatchObject(declined)
  })
})

it("asks about the rows that are left of a batch, and says that it is partly sent", async () => {
  await using server = await open(anyRoute)
  const rows = [sms, { ...sms, recipient: "+254700000002" }, { ...sms, recipient: "+15550000900" }]
  const batch = (...at: ReadonlyArray<number>) => ({ rows: at.map((row) => rows[row]) })
  const first = await server.call("send_sms", sms)
  await server.decide(first.card, "accept")
  const asked = await server.call("send_sms_batch", batch(0, 1))
  expect(asked.structured).toMatchObject({ outcome: "partly-sent", sent_by_this_call: false })
  expect(asked.card.texts).toEqual([{ text: "Hello", to: ["+254700000002"] }])
  const lost = await server.call("send_sms", { ...rows[2] })
  expect((await server.decide(lost.card, "accept")).error).toMatchObject({ outcome: "unknown" })
  const doubt = await server.call("send_sms_batch", batch(1, 2))
  expect(doubt.structured).toMatchObject({ outcome: "unknown" })
  expect(doubt.text).toContain("still unknown of 1 of its 2 SMS whether an earlier send went out")
})

/** SendModel.test.ts has what a person can decide, now, late and twice. */
const refusals: ReadonlyArray<
  readonly [
    string,
    string,
    (server: Awaited<ReturnType<typeof open>>, card: Card) => Promise<unknown>
  ]
> = [
  [
    "other arguments",
    "approval_invalid",
    (server, { state }) => {
      const call = { tool: "send_sms", arguments: { ...sms, recipient: "+254700000002" } }
      return server.decide({ state, call } as Card, "accept")
    }
  ],
  [
    "a model that has no state",
    "approval_invalid",
    (server, card) => server.decide({ ...card, state: "approved" }, "accept")
  ],
  [
    "a state without its arguments",
    "invalid_arguments",
    (server, { state }) => server.call("decide_sms", { state, action: "accept" })
  ],
  ["another word than yes or no", "invalid_arguments", (server, card) => server.decide(card, "yes")]
]

describe.for(eachOnce)("nothing is sent, $era over $over,", (route) => {
  it.each(refusals)("by %s", async (_, code, decide) => {
    // The call that asks must not be what sends.
    await using server = await open(route, ["--confirm=require"])
    const { card } = await server.call("send_sms", sms)
    expect(await decide(server, card)).toMatchObject({
      isError: true,
      error: { code, outcome: "not-sent", sent_by_this_call: false }
    })
    expect(await server.sent()).toEqual([])
  })
})

it("asks on the card again if the clock was set back while the person read", async () => {
  await using server = await open(anyRoute)
  const { card } = await server.call("send_sms", sms)
  const again = await server.decide(card, "accept", "-2 seconds")
  expect(again.structured).toMatchObject({ code: "confirmation_on_card" })
  // The page has the call.
  expect(again.card.call).toBeUndefined()
  await server.decide({ ...card, ...again.card }, "accept")
  expect(await server.sent()).toEqual([sms.recipient])
})
