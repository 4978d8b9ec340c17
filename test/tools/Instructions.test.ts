import { describe, expect, it } from "vitest"
import { approve } from "../harness/mcp/GuardedServer.ts"
import { connect } from "../harness/mcp/McpClients.ts"

const read = async (...args: ReadonlyArray<string>) => {
  await using client = await connect(undefined, { args: ["--sandbox", ...args] })
  const tools = await client.listTools()
  const said = (name: string) => tools.find((tool) => tool.name === name)?.description ?? ""
  return {
    instructions: client.instructions ?? "",
    one: said("send_sms"),
    batch: said("send_sms_batch")
  }
}

describe("the instructions", () => {
  it("say in five sentences what the server cannot do, and how to report a status", async () => {
    const { instructions } = await read()
    expect(instructions).toContain(
      "It cannot buy airtime or data, show a balance or what an SMS costs, or cancel an SMS."
    )
    expect(instructions).toContain("say what it plausibly means, marked as your own")
    // The first one is that of the sandbox.
    expect(instructions.match(/[.\]](?= |$)/g)).toHaveLength(5)
  })

  it("say with --read-only that sending is off, and who can change it", async () => {
    expect((await read("--read-only")).instructions).toContain(
      "It cannot send: --read-only turns that off, and only the person who runs the server can change it."
    )
  })
})

describe("the tools that send", () => {
  it("say who is asked, and the limits as they are", async () => {
    const usual = await read()
    expect(usual.one).toContain(
      "Limits: 6 segments an SMS, 100 SMS an hour. This client cannot ask a person: after telling, wait for a yes."
    )
    expect(usual.batch).toContain("At most 100; otherwise as send_sms.")
    const narrow = await read(
      "--confirm=require",
      "--max-batch=5",
      "--max-segments=2",
      "--max-sends-per-hour=5"
    )
    expect(narrow.one).toContain(
      "Limits: 2 segments an SMS, 5 SMS an hour. This client cannot ask a person, so nothing is sent: tell the person, and do not call."
    )
    expect(narrow.batch).toContain("At most 5; otherwise as send_sms.")
    expect((await read("--confirm=off")).one).toContain(
      "This client cannot ask a person: after telling, wait for a yes. With again, nothing is sent."
    )
  })

  it.each([
    [["--sandbox"], true, "Tell, then call: the client asks the person for approval."],
    [["--allow-recipients=*"], true, "Tell, then call: the client asks the person for approval."],
    [[], true, "Tell, then call: the client asks the person for approval."],
    [
      ["--allow-recipients=+1*"],
      false,
      "after telling, wait for a yes. Only listed numbers get an SMS, a batch only those listed one by one. With again, nothing is sent."
    ],
    [
      ["--allow-recipients=*", "--confirm=off"],
      true,
      "A person is asked only about second sends and texts that look unfilled; after telling"
    ],
    [
      ["--allow-recipients=*", "--confirm=off"],
      false,
      "This client cannot ask a person: after telling, wait for a yes. With again, nothing is sent."
    ],
    [[], false, "This client cannot ask a person, so nothing is sent"]
  ] as const)("say so of %j where the client can ask: %s", async (args, canAsk, said) => {
    const environment = {
      MESSAGING_TOPUP_BASE_URL: "https://api.example.com",
      MESSAGING_TOPUP_TOKEN: "secret"
    }
    await using client = await connect(undefined, {
      args,
      environment,
      ...(canAsk ? { person: () => approve } : {})
    })
    const tool = (await client.listTools()).find(({ name }) => name === "send_sms")
    expect(tool?.description).toContain(said)
  })
})
