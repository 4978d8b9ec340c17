import { describe, expect, it } from "vitest"
import { anyRoute, eachOnce, guarded } from "../support/GuardedServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const hook = "https://hooks.example.com/sms?id=1"

describe.for(eachOnce)("--allow-webhook-hosts, $era over $over", (route) => {
  it("makes webhook_url an argument, for these hosts only", async () => {
    await using server = await guarded(route, [
      "--allow-webhook-hosts",
      "hooks.example.com, b.example"
    ])
    const { tools } = await server.client.listTools()
    expect(JSON.stringify(tools)).toContain("webhook_url")
    expect((await server.send({ ...sms, webhook_url: hook })).isError).toBe(false)
    const other = { ...sms, message: "Second", webhook_url: "http://B.example:8080" }
    expect((await server.send(other)).isError).toBe(false)
    const others = [
      "https://example.com/sms",
      "https://hooks.example.com.evil.example/",
      "https://hooks.example.com@evil.example/",
      "https://evil.example/?https://hooks.example.com",
      "https://hooks.example.com\\@evil.example/",
      "https://evil.example\\.hooks.example.com/",
      "https://evil.example #@hooks.example.com/",
      "ftp://hooks.example.com/",
      "hooks.example.com",
      "//hooks.example.com/"
    ]
    for (const webhook_url of others) {
      const { error, text } = await server.send({ ...sms, webhook_url })
      expect(error, webhook_url).toMatchObject({ code: "webhook_not_allowed", outcome: "not-sent" })
      expect(text).toContain("--allow-webhook-hosts (MESSAGING_TOPUP_MCP_ALLOW_WEBHOOK_HOSTS)")
    }
    expect(await server.sent()).toBe(2)
  })

  it("is off by default: there is no such argument", async () => {
    await using server = await guarded(route)
    const { tools } = await server.client.listTools()
    expect(JSON.stringify(tools)).not.toContain("webhook")
    const { error, text } = await server.send({ ...sms, webhook_url: hook })
    expect(error).toMatchObject({ code: "invalid_arguments", outcome: "not-sent" })
    expect(text).toContain("webhook_url: there is no such argument")
    expect(await server.sent()).toBe(0)
  })
})

describe("--allow-sender-ids", () => {
  it("refuses every other sender, in a batch too", async () => {
    await using server = await guarded(anyRoute, [
      "--confirm=off",
      "--allow-sender-ids",
      "ACME, Shop 2"
    ])
    for (const sender_id of ["ACME", "Shop 2", undefined]) {
      const given = { ...sms, message: `From ${sender_id}`, ...(sender_id && { sender_id }) }
      expect((await server.send(given)).isError, sender_id).toBe(false)
    }
    for (const sender_id of ["acme", "ACME ", "Bank", "ACME,Shop 2"]) {
      const { error, text } = await server.send({ ...sms, sender_id })
      expect(error, sender_id).toMatchObject({ code: "sender_not_allowed", outcome: "not-sent" })
      expect(text).toContain("--allow-sender-ids (MESSAGING_TOPUP_MCP_ALLOW_SENDER_IDS)")
    }
    const { error, text } = await server.call("send_sms_batch", {
      message: "Hello",
      recipients: ["+254700000001", "+254700000002"],
      sender_id: "Bank"
    })
    expect(error).toMatchObject({ code: "rows_refused", rows_refused: 2 })
    expect(text).toContain("rows 1-2: this server does not allow its sender_id")
    expect(await server.sent()).toBe(3)
  })
})
