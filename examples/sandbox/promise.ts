import { createClient } from "@messaging-topup/core/promise"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import assert from "node:assert/strict"
import { test } from "node:test"

void test("an SMS whose response is lost may have gone out", async (t) => {
  const sandbox = await startSandbox()
  t.after(() => sandbox.close())
  const client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token })
  t.after(() => client.close())
  await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  const sending = client.sendSms({ recipient: "+15551234567", message: "Hello" })
  await assert.rejects(sending, { sendOutcome: "unknown" })
  assert.equal((await sandbox.messages({ text: "hello" })).length, 1)
})
