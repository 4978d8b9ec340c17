import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { anyRoute, type Connection, eachOnce, guarded } from "./support/GuardedServer.ts"
import { temporaryFolder } from "./support/TemporaryFolder.ts"

const recipient = "+254700000917"

const message = "Dear Ann, your table is ready at eight."

const glimpse = { recipient_ends: "917", text_begins: "Dear Ann, your table" }

const list = async (server: Pick<Connection, "call">, args: object = {}) => {
  const { structured, text } = await server.call("list_recent_sends", args)
  const { data } = structured
  if (!Array.isArray(data)) throw new Error(text)
  return { ...structured, text, data: data as ReadonlyArray<Readonly<Record<string, unknown>>> }
}

const key = "k".repeat(40)

const named = { environment: { MESSAGING_TOPUP_MCP_BEARER_KEYS: `ann:${key}` }, key }

/** Over HTTP, only a named caller is known. */
const settingsOf = ({ over }: { readonly over: string }) => (over === "http" ? named : {})

describe.for(eachOnce)("list_recent_sends, $era over $over", (route) => {
  it("shows within the deduplication window how a recipient ends and a text begins", async () => {
    await using server = await guarded(route, [], settingsOf(route))
    const { messageIds } = await server.send({ recipient, message })
    await server.call("send_sms_batch", { message, recipients: [recipient] })
    expect((await list(server)).data).toEqual([
      { time: expect.any(String), outcome: "sent", message_id: messageIds[0], ...glimpse }
    ])
    server.pass("11 minutes")
    const [later] = (await list(server)).data
    expect(later).toEqual({ time: expect.any(String), outcome: "sent", message_id: messageIds[0] })
  })

  it("has one record for each send, pages of them, and their total", async () => {
    await using server = await guarded(route, ["--confirm=off", "--allow-recipients=*"], settingsOf(route))
    const recipients = ["001", "002", "003", "004", "005"].map((end) => `+254700000${end}`)
    for (const each of recipients) {
      await server.send({ recipient: each, message })
      server.pass("1 minute")
    }
    const ends: Array<unknown> = []
    let cursor: unknown
    do {
      const page = await list(server, { limit: 2, ...(cursor === undefined ? {} : { cursor }) })
      expect(page).toMatchObject({ total: 5 })
      ends.push(...page.data.map(({ recipient_ends }) => recipient_ends))
      cursor = Reflect.get(page, "next_cursor")
    } while (cursor !== undefined)
    expect(ends).toEqual(["005", "004", "003", "002", "001"])
    const { data } = await list(server)
    const since = String(data[1]?.["time"])
    const last = await list(server, { since })
    expect(last).toMatchObject({ total: 2, remembers_since: data[4]?.["time"] })
    expect(last.data).toEqual(data.slice(0, 2))
    expect(last.text).toMatch(/^2 sends of yours since then; 2 listed\. What was sent before/)
  })
})

describe("what list_recent_sends shows of recipients and texts", () => {
  it("is neither in the state nor in the log", async () => {
    const file = join(temporaryFolder(), "sends.sqlite")
    await using server = await guarded(anyRoute, ["--state", `sqlite:${file}`])
    await server.send({ recipient, message })
    expect((await list(server)).data).toMatchObject([glimpse])
    const { text_begins } = glimpse
    for (const each of [file, `${file}-wal`]) {
      expect(readFileSync(each, "latin1")).not.toContain(text_begins)
    }
    const log = JSON.stringify(await server.log.entry("send"))
    expect(log).not.toContain(text_begins)
  })

  it.each([
    ["for callers without a name", "http", []],
    ["with --hide-recent-texts", "stdio", ["--hide-recent-texts"]]
  ] as const)("is nothing %s", async (_, over, args) => {
    await using server = await guarded({ era: "modern", over }, args)
    await server.send({ recipient, message })
    const [only] = (await list(server)).data
    expect(only).toEqual({
      time: expect.any(String),
      outcome: "sent",
      message_id: expect.any(String)
    })
  })

  it("is refused for a time that is none", async () => {
    await using server = await guarded(anyRoute)
    const { error, text } = await server.call("list_recent_sends", { since: "yesterday" })
    expect(error).toMatchObject({ code: "invalid_arguments" })
    expect(text).toContain("since: give a time such as 2026-01-15T09:30:00Z")
  })
})
