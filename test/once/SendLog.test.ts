import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { describe, expect, it } from "vitest"
import { silentHost } from "../harness/SilentHost.ts"
import { callOf, eras, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox, slowRecipient } from "../harness/mcp/RealSandbox.ts"

const sms = { recipient: "+254700000001", message: "Hello" }

const openSilentHost = async () => {
  const scope = Effect.runSync(Scope.make())
  const { port } = await Effect.runPromise(Scope.provide(silentHost, scope))
  return {
    environment: {
      MESSAGING_TOPUP_BASE_URL: `http://127.0.0.1:${port}`,
      MESSAGING_TOPUP_TOKEN: "token"
    },
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

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

  it("that is cancelled before its request starts never starts, and counts as not sent", async () => {
    await using host = await openSilentHost()
    await using stdio = await openStdio(era, [], { env: host.environment })
    await stdio.send(callOf(era, 1, "send_sms", sms))
    await stdio.server.until("stderr", /"event":"sending"/)
    await stdio.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 }
    })
    await stdio.server.until("stderr", /"event":"send".*"outcome":"not-sent"/)
    expect(stdio.server.written.stderr).not.toContain('"outcome":"unknown"')
  })
})
