import { describe, expect, it } from "vitest"
import { type Guarded, guarded, routes } from "../support/GuardedServer.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const prompt = { name: "send_message_safely", arguments: sms }

const toolNames = async ({ client }: Guarded) =>
  (await client.listTools()).tools.map(({ name }) => name)

const expectNoSending = async (server: Guarded) => {
  expect(await toolNames(server)).not.toContain("send_sms")
  await expect(server.send(sms)).rejects.toThrow("send_sms")
  await expect(server.client.getPrompt(prompt)).rejects.toThrow(/.+/)
  expect((await server.client.listPrompts()).prompts).toEqual([])
  expect(server.client.getInstructions()).not.toContain("send_sms")
  expect(await server.sent()).toBe(0)
}

describe.for(routes)("$era over $over", (route) => {
  it("sends nothing with --read-only, and does not offer send_sms", async () => {
    await using server = await guarded(route, ["--read-only"])
    await expectNoSending(server)
    expect(await toolNames(server)).toHaveLength(6)
    const { isError } = await server.client.callTool({
      name: "preview_sms",
      arguments: { message: "Hello" }
    })
    expect(isError).toBeFalsy()
  })
})

describe.for(routes.slice(0, 2))("$era over $over", (route) => {
  it("offers send_sms and sends without --read-only", async () => {
    await using server = await guarded(route)
    expect(await toolNames(server)).toHaveLength(7)
    expect((await server.client.getPrompt(prompt)).messages).toHaveLength(1)
    expect(await server.send(sms)).toMatchObject({ isError: false, duplicate: false })
    expect(await server.sent()).toBe(1)
  })

  it("offers only the tools of --tools", async () => {
    await using server = await guarded(route, ["--tools", "preview_sms, get_sms_status"])
    expect((await toolNames(server)).toSorted()).toEqual(["get_sms_status", "preview_sms"])
    await expectNoSending(server)
    await expect(server.client.callTool({ name: "list_data_bundles" })).rejects.toThrow(/.+/)
  })

  it("removes send_sms with --read-only, even if --tools names it", async () => {
    const tools = { MESSAGING_TOPUP_MCP_TOOLS: "send_sms,preview_sms" }
    await using server = await guarded(route, ["--read-only"], { environment: tools })
    expect(await toolNames(server)).toEqual(["preview_sms"])
    await expectNoSending(server)
  })
})
