import { describe, expect, it } from "vitest"
import { callOf, eras, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

describe.for(eras)("in the %s era, a send", (era) => {
  it("is logged before its request starts, with the same digest as its outcome", async () => {
    await using sandbox = await openSandbox()
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await stdio.send(callOf(era, 1, "send_sms", { ...sms, recipient: slowRecipient }))
    await sandbox.until(({ requests }) => requests.length >= 1)
    const [line] = await stdio.server.until("stderr", /^.*"event":"sending".*$/m)
    expect(stdio.server.written.stderr).not.toContain('"outcome"')
    await sandbox.hurry()
    const [end] = await stdio.server.until("stderr", /^.*"event":"send".*$/m)
    const { digest } = JSON.parse(line)
    expect(digest).toMatch(/^[\w-]{22}$/)
    expect(JSON.parse(end)).toMatchObject({ digest, outcome: "sent" })
  })
})
