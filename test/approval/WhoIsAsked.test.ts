/** Who is asked before a send, and what goes out although nobody is: the whole table. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { anyRoute, approve, type CallResult, guarded } from "../harness/mcp/GuardedServer.ts"

const message = "Your table is ready."

const [one, ...rows] = ["+254700000001", "+254700000002", "+254700000003"]

/**
 * `asked`: a person is asked, and it is sent. `unasked`: it is sent without an approval. `unavailable`: it needs one,
 * and nobody can be asked. `not allowed`: the list does not name its recipient, so nobody is asked.
 */
type End = "asked" | "unasked" | "unavailable" | "not allowed"

/** Of a first SMS, of a batch, and of a call with `again`. */
type Ends = readonly [End, End, End]

const asked: Ends = ["asked", "asked", "asked"]
const unavailable: Ends = ["unavailable", "unavailable", "unavailable"]
const notAllowed: Ends = ["not allowed", "not allowed", "not allowed"]
/** A second send needs a person, whatever the operator allowed. */
const listed: Ends = ["unasked", "unasked", "unavailable"]
/** And a batch, where the list does not name each number. */
const byPrefix: Ends = ["unasked", "unavailable", "unavailable"]
const off: Ends = ["unasked", "unasked", "asked"]

const names = `--allow-recipients=${[one, ...rows].join()}`
const some = `--allow-recipients=${one},${rows[0]},+254*`
const prefix = "--allow-recipients=+254*"
const everyone = "--allow-recipients=*"
const others = "--allow-recipients=+1555*"

/** What a client can do: ask a person, not ask, or decide by itself where it should ask. */
const table: ReadonlyArray<
  readonly [
    options: ReadonlyArray<string>,
    ends: {
      readonly asks: Ends
      readonly "cannot ask": Ends
      readonly "replies by itself": Ends
    }
  ]
> = [
  [[], { asks: asked, "cannot ask": unavailable, "replies by itself": unavailable }],
  [[names], { asks: asked, "cannot ask": listed, "replies by itself": listed }],
  [[some], { asks: asked, "cannot ask": byPrefix, "replies by itself": byPrefix }],
  [[prefix], { asks: asked, "cannot ask": byPrefix, "replies by itself": byPrefix }],
  [[everyone], { asks: asked, "cannot ask": byPrefix, "replies by itself": byPrefix }],
  [[others], { asks: notAllowed, "cannot ask": notAllowed, "replies by itself": notAllowed }],
  [
    ["--confirm=require"],
    { asks: asked, "cannot ask": unavailable, "replies by itself": unavailable }
  ],
  [
    ["--confirm=require", names],
    { asks: asked, "cannot ask": unavailable, "replies by itself": unavailable }
  ],
  [["--confirm=off", prefix], { asks: off, "cannot ask": listed, "replies by itself": listed }],
  [["--confirm=off", everyone], { asks: off, "cannot ask": listed, "replies by itself": listed }],
  [["--sandbox"], { asks: asked, "cannot ask": listed, "replies by itself": listed }],
  [["--sandbox", "--confirm=off"], { asks: off, "cannot ask": listed, "replies by itself": listed }]
]

const endOf = ({ error, isError, structured }: CallResult): string => {
  if (!isError) return structured["approved_by"] === "person" ? "asked" : "unasked"
  const code = String(error["code"])
  if (code === "confirmation_unavailable") return "unavailable"
  return code === "recipient_not_allowed" || code === "rows_refused" ? "not allowed" : code
}

const clients = {
  asks: { person: () => approve },
  "cannot ask": {
    environment: { MESSAGING_TOPUP_MCP_ALLOW_RECIPIENTS: "", MESSAGING_TOPUP_MCP_CONFIRM: "" }
  },
  "replies by itself": { person: () => approve, reads: "0 seconds" }
} as const

/** Why nobody was asked, and who could ask. */
const unavailableTo = {
  asks: [],
  "cannot ask": ["this client cannot ask one", "a client that supports elicitation can ask"],
  "replies by itself": [
    "this client approved by itself, faster than a person can read",
    "a client that shows them the question can ask"
  ]
} as const

/** How `docs/mcp.md` says it. */
const words: Readonly<Record<End, string>> = {
  asked: "a person is asked",
  unasked: "is sent",
  unavailable: "is refused",
  "not allowed": "is not allowed"
}

it.each([
  ["asks", "can ask"],
  ["cannot ask", "cannot ask, or says yes within 300 ms"],
  ["replies by itself", "cannot ask, or says yes within 300 ms"]
] as const)("a client that %s has its line in docs/mcp.md", (client, name) => {
  const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8")
  const endsWith = (...options: ReadonlyArray<string>): Ends =>
    table.find(([each]) => each.join() === options.join())?.[1][client] ?? notAllowed
  const [first, batch, again] = endsWith()
  const [single, listedBatch] = endsWith(names)
  const [byRule, prefixBatch] = endsWith(prefix)
  const withOff = endsWith("--confirm=off", prefix)
  const cells = [first, single, prefixBatch, withOff[0], again].map((end) => words[end])
  expect(page.split("\n")).toContain(`| ${[name, ...cells].join(" | ")} |`)
  // These have one column there.
  expect(batch).toBe(first)
  expect([listedBatch, byRule]).toEqual([single, single])
  expect(endsWith("--sandbox")).toEqual(endsWith(names))
  expect(withOff).toEqual([withOff[0], withOff[0], again])
})

describe.for(table)("with %j", ([options, ends]) => {
  it.each(["asks", "cannot ask", "replies by itself"] as const)(
    "a client that %s",
    async (client) => {
      await using server = await guarded(anyRoute, options, clients[client])
      const results = [
        await server.send({ recipient: one ?? "", message }),
        await server.call("send_sms_batch", { message, recipients: rows }),
        await server.send({ recipient: one ?? "", message, again: true })
      ]
      expect(results.map(endOf)).toEqual(ends[client])
      const count = (wanted: End) => ends[client].filter((end) => end === wanted).length
      if (client === "asks") expect(server.questions).toHaveLength(count("asked"))
      for (const { error, structured, whole } of results) {
        if (error["code"] !== "confirmation_unavailable") continue
        expect(structured["sent_by_this_call"]).toBe(false)
        // A model that can start programs could start the server with it.
        expect(whole).not.toContain("--confirm")
        for (const why of unavailableTo[client]) expect(whole).toContain(why)
        const isList = !options.some((option) => /require|allow|sandbox/.test(option))
        if (isList && !whole.includes("again needs")) expect(whole).toContain("--allow-recipients")
      }
      if (!options.includes("--sandbox")) {
        const [first, batch, second] = ends[client].map((end) => /^(asked|unasked)$/.test(end))
        expect(await server.sent()).toBe(Number(first) + (batch === true ? 2 : 0) + Number(second))
      }
    }
  )
})

it("again of what was never sent is no way round: the same call without it is sent", async () => {
  await using server = await guarded(anyRoute, [names])
  const sms = { recipient: one ?? "", message }
  const refused = await server.send({ ...sms, again: true })
  expect(refused.error).toMatchObject({ code: "confirmation_unavailable", outcome: "not-sent" })
  expect(refused.text).toBe(
    "This call sent nothing: a call with again needs the approval of a person, and this client cannot ask one. Nothing of it was sent before: make the same call without again."
  )
  expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
  expect((await server.send({ ...sms, again: true })).text).not.toContain("without again")
})

it("again of a batch of which one SMS was tried before says of each what to do", async () => {
  const unknown = "+15551000900"
  const list = `--allow-recipients=${unknown},${one}`
  await using server = await guarded(anyRoute, [list])
  await server.send({ recipient: unknown, message })
  const batch = { message, recipients: [one, unknown] }
  const refused = await server.call("send_sms_batch", { ...batch, again: true })
  expect(refused.error).toMatchObject({ outcome: "unknown", not_sent: 1, unknown: 1 })
  expect(refused.structured["causes"]).toMatchObject([
    {
      outcome: "not-sent",
      code: "confirmation_unavailable",
      rows: "1",
      what: "This call did not send it: a call with again needs the approval of a person, and this client cannot ask one.",
      next: "Nothing of it was sent before: make the same call without again."
    },
    {
      outcome: "unknown",
      code: "confirmation_unavailable",
      rows: "2",
      what: "This call did not send it: to send an SMS again needs the approval of a person, and this client cannot ask one.",
      next: expect.stringMatching(
        /^Tell the person: .* The person who runs the server can decide about an unknown one/
      )
    }
  ])
  expect(await server.upstream.requests()).toHaveLength(1)
  expect((await server.call("send_sms_batch", batch)).structured).toMatchObject({
    sent: 1,
    unknown: 1
  })
})
