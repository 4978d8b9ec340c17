import { type SandboxHandle, startSandbox } from "@messaging-topup/sandbox/promise"
import { Agent, request } from "node:http"
import { expect, it } from "vitest"
import { heapMegabytes } from "../harness/Garbage.ts"

const body = JSON.stringify({ recipient: "+15551234567", message: "Hello" })

const send = ({ baseUrl, token }: SandboxHandle, agent: Agent) =>
  new Promise<void>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": body.length
    }
    const sent = request(`${baseUrl}/sms/send`, { method: "POST", agent, headers }, (response) => {
      response.resume().once("end", resolve)
    })
    sent.once("error", reject).end(body)
  })

it("5,000 sends do not increase the memory of a full sandbox", async () => {
  await using sandbox = await startSandbox({ maxMessages: 1000, maxRequests: 100 })
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const sendMany = (count: number) =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let n = 0; n < count / 20; n++) await send(sandbox, agent)
      })
    )
  await sendMany(2000)
  const before = await heapMegabytes()
  await sendMany(5_000)
  const growth = (await heapMegabytes()) - before
  agent.destroy()
  expect(await sandbox.messages()).toHaveLength(1000)
  expect(await sandbox.requests()).toHaveLength(100)
  // It is 0.3, and 5 where everything is kept.
  expect(growth).toBeLessThan(1.5)
})
