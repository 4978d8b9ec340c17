import { expect, it } from "vitest"
import { hostileBodies, hostileMessages } from "./support/Hostile.ts"
import {
  type Headers,
  modernHeaders,
  openHttp,
  openHttpProcess,
  openSession,
  post,
  type RawHttp
} from "./support/RawHttp.ts"
import {
  callOf,
  type Era,
  eras,
  type Message,
  openStdio,
  openStdioProcess,
  type RawStdio,
  requestOf
} from "./support/RawStdio.ts"
import { openSandbox, slowRecipient } from "./support/RealSandbox.ts"

// The bundle has changes of the SDK, and the source has none.

const ids = [0, "", null, 1.5, -1, 1e21, 2 ** 53, "x".repeat(10_000), true, {}, [], undefined]

const members: ReadonlyArray<object> = [
  { method: "ping" },
  { method: "tools/list" },
  { method: "unknown" },
  { method: "" },
  { method: 5 },
  { method: "initialize" },
  { method: "notifications/initialized" },
  { method: "notifications/cancelled", params: { requestId: 0 } },
  { method: "tools/call", params: { name: "preview_sms", arguments: { message: "x" } }, more: 1 },
  { method: "tools/call" },
  { method: "tools/call", params: null },
  { method: "tools/call", params: [] },
  { method: "ping", result: {} },
  { method: "ping", error: { code: 1, message: "" } },
  { result: {} },
  { result: null },
  { result: { more: 1 }, more: 2 },
  { result: {}, error: { code: 1, message: "" } },
  { error: { code: 1, message: "x", data: 1 } },
  { error: null },
  { error: { code: 1.5, message: "x" } }
]

/** Each with every id, with and without an envelope in the modern era. */
const oddMessages = (era: Era): ReadonlyArray<object> =>
  members.flatMap((each) => {
    const params = "params" in each && each.params instanceof Object ? each.params : {}
    const { params: enveloped } = requestOf(era, 0, "", params)
    return [each, { ...each, params: enveloped }].flatMap((one) =>
      ids.map((id) => ({ jsonrpc: "2.0", ...one, id }))
    )
  })

/** Replaces what differs from one run to the next. */
const comparable = (text: string): string =>
  text
    .replaceAll(/sbx-\d+-\w+/g, "message_id")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
    .replaceAll(/\d+ s ago/g, "ago")

it.each(eras)(
  "the bundle responds to 3,000 odd messages as the source does: %s era",
  async (era) => {
    const messages = [...oddMessages(era), ...hostileMessages(era, 2_500, 1)]
    const responsesOf = async (server: RawStdio) => {
      for (const [at, each] of messages.entries()) {
        await server.send(each)
        // Otherwise the order of what happens could differ.
        await server.ask(requestOf(era, `after-${at}`, "ping"))
      }
      return server.lines().map(comparable).toSorted()
    }
    await using fromSource = await openStdio(era)
    await using fromBundle = await openStdioProcess(era)
    const responses = await responsesOf(fromBundle)
    expect(responses.length).toBeGreaterThan(messages.length * 1.2)
    expect(responses).toEqual(await responsesOf(fromSource))
  },
  60_000
)

const headersOf = (era: Era, body: unknown, session: string): ReadonlyArray<Headers> => {
  if (era === "legacy") return [{}, { "mcp-session-id": session }]
  const { method, params } = (body instanceof Object ? body : {}) as Message
  const safe = (value: unknown) => encodeURIComponent(String(value).slice(0, 100).toWellFormed())
  const name = params?.["name"]
  return [{}, modernHeaders(safe(method), name === undefined ? undefined : safe(name))]
}

it("the bundle responds to 4,000 odd bodies over HTTP as the source does, with the same headers", async () => {
  const responsesOf = async ({ url }: RawHttp) => {
    const responses: Array<string> = []
    for (const era of eras) {
      const session = await openSession(url)
      const bodies = [...oddMessages(era), ...hostileBodies(era, 500, 1), [], [1], "x", 5, null]
      for (const body of bodies) {
        for (const headers of headersOf(era, body, session)) {
          const response = await post(url, JSON.stringify(body), { headers })
          const sent = [...response.headers].filter(([name]) => !/^date$|session/.test(name))
          const text = await response.text()
          responses.push(comparable(`${response.status} ${JSON.stringify(sent)} ${text}`))
        }
      }
    }
    return responses
  }
  await using fromSource = await openHttp()
  await using fromBundle = await openHttpProcess()
  const [source, bundle] = await Promise.all([fromSource, fromBundle].map(responsesOf))
  expect(bundle?.length).toBeGreaterThan(4_000)
  expect(bundle).toEqual(source)
}, 60_000)

it.each(eras)(
  "a call can be cancelled after the end of another one with its id: %s era",
  async (era) => {
    await using sandbox = await openSandbox()
    const env = { ...sandbox.env, MESSAGING_TOPUP_TIMEOUT: "5 minutes" }
    await using stdio = await openStdioProcess(era, [], { env })
    await stdio.send(callOf(era, 1, "send_sms", { recipient: slowRecipient, message: "Hello" }))
    await sandbox.until(({ requests }) => requests.length >= 1)
    await sandbox.setFault({ fault: "NoResponse" })
    await stdio.send(callOf(era, 1, "get_sms_status", { message_id: "some" }))
    await sandbox.until(({ requests }) => requests.length >= 2)
    await sandbox.hurry()
    await stdio.response(1)
    await stdio.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 }
    })
    const { requests } = await sandbox.until((kept) =>
      kept.requests.some(({ disconnected }) => disconnected)
    )
    expect(requests).toContainEqual(expect.objectContaining({ method: "GET", disconnected: true }))
  }
)
