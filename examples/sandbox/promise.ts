import { createClient } from "@messaging-topup/core/promise"
import { startSandbox } from "@messaging-topup/sandbox/promise"
import assert from "node:assert/strict"

const sandbox = await startSandbox()
const client = createClient({ baseUrl: sandbox.baseUrl, token: sandbox.token })
try {
  await sandbox.setFault({ fault: "ResetAfterAcceptance", times: 1 })
  await assert.rejects(client.sendSms({ recipient: "+15551234567", message: "Hello" }))

  const [message] = await sandbox.messages({ text: "hello" })
  assert.equal(message?.recipient, "+15551234567")
} finally {
  await client.close()
  await sandbox.close()
}
