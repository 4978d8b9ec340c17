import { maxRecipients } from "@messaging-topup/mcp-server/src/tools/ListRecentSends.ts"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { acceptance } from "../harness/Contract.ts"
import { reply } from "../harness/ResponseServer.ts"
import {
  type RespondingUpstream,
  openRespondingUpstream
} from "../harness/mcp/RespondingUpstream.ts"
import { approve, guarded, routes } from "../harness/mcp/GuardedServer.ts"
import { connect, type McpClient, textOf } from "../harness/mcp/McpClients.ts"
import { eras, openStdio, type RawStdio, requestOf } from "../harness/mcp/RawStdio.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import type { ToolName } from "../harness/mcp/ToolNames.ts"

/** A text in invalid arguments, which must not be repeated. */
const mark = "SeCrEt-4711"

const opened = new Disposables()
let upstream: RespondingUpstream
let client: McpClient
let questions = 0

beforeAll(async () => {
  upstream = opened.use(await openRespondingUpstream())
  client = opened.use(
    await connect(undefined, {
      environment: upstream.environment,
      person: () => {
        questions += 1
        return approve
      }
    })
  )
})

afterAll(() => opened.disposeAsync())

beforeEach(() => {
  questions = 0
  upstream.respondWith(reply(500))
})

const sms = { recipient: "+254700000001", message: "Hello" }

/** The arguments of `send_sms` that must be one line, with their maximum length. */
// A question shows each whole.
const lines = { recipient: 80, sender_id: 80, scheduled_time: 80 }

/** Characters that break a line, or hide its end. */
const controls = ["\n", "\r", "\t", "\v", "\0", "\u001b", "\u0085", "\u2028", "\u2029"]

/** Other than in a literal, the name makes a property of its own here. */
const everyName: object = JSON.parse(
  `{"recipient":"${sms.recipient}","message":"Hello","__proto__":{"sender_id":"${mark}"}}`
)

/** Wrong arguments of each tool, with those that the result must name. */
const cases: Readonly<
  Record<
    ToolName,
    ReadonlyArray<readonly [what: string, args: object, named: ReadonlyArray<string>]>
  >
> = {
  send_sms: [
    ["nothing", {}, ["recipient", "message"]],
    ["an empty recipient", { ...sms, recipient: "" }, ["recipient"]],
    ["an empty message", { ...sms, message: "" }, ["message"]],
    ["a number for a recipient", { ...sms, recipient: 4711 }, ["recipient"]],
    ["a list of recipients", { ...sms, recipient: [mark] }, ["recipient"]],
    ["null for a message", { ...sms, message: null }, ["message"]],
    ["an object for a message", { ...sms, message: { text: mark } }, ["message"]],
    ["text for a switch", { ...sms, again: mark }, ["again"]],
    ["an unknown name", { ...sms, sender: mark }, ["sender"]],
    ["a name from another tool", { ...sms, message_id: mark }, ["message_id"]],
    ["a name of the prototype", { ...sms, constructor: mark }, ["constructor"]],
    ["a strange name", { ...sms, [`${mark} <b>`]: 1 }, ["an unknown argument"]],
    ["a huge name", { ...sms, [mark.repeat(5000)]: 1 }, ["an unknown argument"]]
  ],
  send_sms_batch: [
    ["a name of every object, in a row", { rows: [sms, everyName] }, ["rows.1", "__proto__"]]
  ],
  get_sms_status: [
    ["nothing", {}, ["message_id"]],
    ["an empty id", { message_id: "" }, ["message_id"]],
    ["a dot segment", { message_id: ".." }, ["message_id"]],
    ["a list", { message_id: [mark] }, ["message_id"]],
    ["half a character", { message_id: `${mark}\ud83c` }, ["message_id"]]
  ],
  get_airtime_status: [
    ["nothing", {}, ["referencecode"]],
    ["an empty code", { referencecode: "" }, ["referencecode"]],
    ["another spelling", { reference_code: mark }, ["reference_code"]]
  ],
  get_data_bundle_status: [
    ["nothing", {}, ["referencecode"]],
    ["a number", { referencecode: 4711 }, ["referencecode"]]
  ],
  list_data_bundles: [
    ["no bundle at all", { limit: 0 }, ["limit"]],
    ["too many bundles", { limit: 101 }, ["limit"]],
    ["half a bundle", { limit: 1.5 }, ["limit"]],
    ["an object for a query", { query: { network: mark } }, ["query"]],
    ["several wrong ones", { query: 1, limit: mark, network: mark }, ["query", "limit", "network"]]
  ],
  preview_sms: [
    ["nothing", {}, ["message"]],
    ["an empty text", { message: "" }, ["message"]]
  ],
  list_recent_sends: [
    ["a number for the recipients", { recipients: 4711 }, ["recipients"]],
    [
      "too many recipients",
      { recipients: Array.from({ length: maxRecipients + 1 }, () => mark) },
      ["recipients"]
    ]
  ]
}

const eachCase = Object.entries(cases).flatMap(([name, all]) =>
  all.map((each) => [name, ...each] as const)
)

describe("An invalid argument", () => {
  const expectRefused = async (name: string, args: object, named: ReadonlyArray<string>) => {
    const refused = await client.callTool(name, args)
    expect(refused).toMatchObject({ isError: true })
    const text = textOf(refused)
    expect(text).toMatch(/^(Nothing was done:|This call sent nothing:|The .+ could not be read\.) /)
    for (const argument of named) expect(text).toContain(argument)
    expect(text).toMatch(/(?:Correct the arguments|Correct it) and call again/)
    expect(JSON.stringify(refused)).not.toContain(mark)
    expect(JSON.stringify(refused)).not.toContain("4711")
    expect(text.length).toBeLessThan(2000)
    expect(upstream.received).toEqual([])
    expect(questions).toBe(0)
    return refused
  }

  it.each(eachCase)("for %s: %s", async (name, _what, args, named) => {
    await expectRefused(name, args, named)
  })

  it("is not sent if it is not one short line", async () => {
    for (const [name, longest] of Object.entries(lines)) {
      const broken = controls.flatMap((control) => [`1${control}${mark}`, `${mark}${control}`])
      for (const value of [...broken, mark.padEnd(longest + 1, "1")]) {
        const refused = await expectRefused("send_sms", { ...sms, [name]: value }, [name])
        expect(refused).toMatchObject({
          structuredContent: { code: "invalid_arguments" }
        })
      }
    }
  })

  it("is none if it stands for an absent one, as OpenAI's strict schemas make models write", async () => {
    const absent = ["sender_id", "scheduled_time", "again"]
    for (const [index, value] of [null, ""].entries()) {
      const message = `Hello ${index}`
      const args = Object.fromEntries(absent.map((name) => [name, value]))
      await client.callTool("send_sms", { ...sms, message, ...args })
      expect(JSON.parse(upstream.received.at(-1)?.body ?? "")).toEqual({ ...sms, message })
      const none = { query: value, limit: value }
      upstream.respondWith(reply(200, { category: [] }))
      expect(await client.callTool("list_data_bundles", none)).not.toMatchObject({ isError: true })
      expect(upstream.received.at(-1)?.url).not.toContain("?")
    }
  })

  it.each<readonly [string, object, object]>([
    ["send_sms_batch", { message: "Hi" }, { recipients: [sms.recipient] }],
    ["send_sms_batch", {}, { rows: [sms] }],
    ["send_sms", sms, { again: false }],
    ["list_data_bundles", {}, { limit: 5 }],
    ["list_recent_sends", {}, { limit: 5 }]
  ])("of %s is read if it is JSON in a text, as some hosts send it", async (name, args, typed) => {
    upstream.respondWith((request, response) =>
      request.method === "GET"
        ? reply(200, { category: [] })(request, response)
        : reply(202, acceptance)(request, response)
    )
    const texts = Object.entries(typed).map(([each, value]) => [each, JSON.stringify(value)])
    const result = await client.callTool(name, { ...args, ...Object.fromEntries(texts) })
    expect(result).not.toMatchObject({ isError: true })
  })

  it("is a text where a text is wanted, whatever it looks like", async () => {
    upstream.respondWith(reply(202, acceptance))
    for (const message of ["[1]", "true", "5", '{"text":"x"}', '"x"']) {
      await client.callTool("send_sms", { ...sms, message })
      expect(JSON.parse(upstream.received.at(-1)?.body ?? "")).toEqual({ ...sms, message })
    }
  })

  it.each<readonly [string, object]>([
    ["recipients", { message: "Hi", recipients: sms.recipient }],
    ["recipients", { message: "Hi", recipients: '{"0":"+254700000001"}' }],
    ["recipients", { message: "Hi", recipients: "[" }],
    ["recipients.0", { message: "Hi", recipients: "[4711]" }],
    ["again", { message: "Hi", recipients: [sms.recipient], again: "0" }],
    ["again", { message: "Hi", recipients: [sms.recipient], again: '""' }]
  ])("is refused if the JSON is of another type: %s", async (named, args) => {
    await expectRefused("send_sms_batch", args, [named])
  })

  it("is none if it is what Gemini CLI adds to every tool", async () => {
    for (const wait_for_previous of [true, false, mark]) {
      const preview = await client.callTool("preview_sms", { message: "Hello", wait_for_previous })
      expect(preview).not.toMatchObject({ isError: true })
    }
  })

  it.each(routes)("is also __proto__, which the SDK drops, $era over $over", async (route) => {
    const { environment } = upstream
    await using server = await guarded(route, [], { environment })
    const { error, text } = await server.call("send_sms", everyName)
    expect(error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(text).toContain("(an unknown argument): there is no such argument")
    expect(upstream.received).toEqual([])
  })

  const unknown = (length: number): object =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`unknown_${index}`, mark]))

  it("is counted beyond the tenth", async () => {
    const all = { ...sms, ...unknown(50) }
    const text = textOf(await expectRefused("send_sms", all, ["unknown_0"]))
    expect(text).toMatch(/; and 40 more\./)
    expect(text.match(/there is no such argument/g)).toHaveLength(10)
  })

  // To report each takes seconds, in which the server does nothing else.
  it.each<readonly [string, string, object]>([
    ["names", "send_sms", { ...sms, ...unknown(51) }],
    ["names in a row", "send_sms_batch", { rows: [{ ...sms, ...unknown(51) }] }],
    [
      "names in several rows",
      "send_sms_batch",
      { rows: [unknown(25), sms, unknown(26)].map((names) => ({ ...sms, ...names })) }
    ],
    ["names in a text", "send_sms_batch", { rows: JSON.stringify([{ ...sms, ...unknown(51) }]) }]
  ])("is not read if it is one of more than 50 unknown ones: %s", async (_, name, args) => {
    const text = textOf(await expectRefused(name, args, ["more than 50 unknown arguments"]))
    expect(text).not.toContain("unknown_")
  })

  it("is the first one alone of a list with more than 1,000 entries", async () => {
    const wrong = (length: number) => ({
      message: "Hi",
      recipients: Array.from({ length }, () => 4711)
    })
    const all = textOf(await expectRefused("send_sms_batch", wrong(1000), ["recipients.0"]))
    expect(all).toContain("and 990 more")
    const first = textOf(await expectRefused("send_sms_batch", wrong(1001), ["recipients.0"]))
    expect(first).not.toContain("recipients.1")
  })

  it("is valid at the maximum length", async () => {
    for (const [name, longest] of Object.entries(lines)) {
      // A recipient with letters is no number.
      const value = "1".padEnd(longest, name === "recipient" ? "/" : name)
      await client.callTool("send_sms", { ...sms, [name]: value })
      expect(upstream.received.at(-1)?.body).toContain(`"${value}"`)
    }
  })
})

describe.each(eras)("In the %s era, a call", (era) => {
  let stdio: RawStdio
  let id = 10

  beforeAll(async () => {
    const args = ["--allow-recipients=*"]
    stdio = opened.use(await openStdio(era, args, { env: upstream.environment }))
  })

  const ask = (params: object) => stdio.ask(requestOf(era, ++id, "tools/call", params))

  it.each([[mark], mark, 4711, true])("whose arguments are %o is refused", async (args) => {
    const { error } = await ask({ name: "send_sms", arguments: args })
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("arguments") })
    expect(JSON.stringify(error)).not.toContain(mark)
    expect(upstream.received).toEqual([])
  })

  it.each([{}, { arguments: null }])("with %j has no arguments", async (without) => {
    const refused = JSON.stringify(await ask({ name: "send_sms", ...without }))
    expect(refused).toMatch(/recipient: .*message: /)
    expect(JSON.stringify(await ask({ name: "list_recent_sends", ...without }))).toMatch(
      /knows no send of this caller/
    )
    expect(upstream.received).toEqual([])
  })

  it.each(["send_smss", "__proto__", "constructor", ""])(
    "of a tool that does not exist, %j, is an error",
    async (name) => {
      expect((await ask({ name, arguments: sms })).error).toMatchObject({ code: -32602 })
      expect(upstream.received).toEqual([])
    }
  )
})
