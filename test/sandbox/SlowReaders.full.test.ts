import { startSandbox } from "@messaging-topup/sandbox/promise"
import { type IncomingMessage, request } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const heldBytes = (): number => {
  // V8 frees array buffers in the background. The second collection waits for the first.
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

const readers = 8
const bytes = 100 * 1024 * 1024
const readBytes = 4 * 1024 * 1024

const body = JSON.stringify({ recipient: "+15551234567", message: "Hello" })

/** Sends, reads some of the response, and then no more. */
const readSome = (baseUrl: string, token: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const sent = request(`${baseUrl}/sms/send`, { method: "POST", headers, agent: false })
    sent.once("error", reject).end(body)
    sent.once("response", (response) => {
      let read = 0
      response.on("data", (chunk: Buffer) => {
        read += chunk.length
        if (read < readBytes) return
        response.pause()
        resolve(response)
      })
    })
  })

it("an oversized body takes little memory, even with slow readers", async () => {
  await using sandbox = await startSandbox()
  await sandbox.setFault({ fault: "OversizedBody", bytes })
  const before = heldBytes()
  const responses = await Promise.all(
    Array.from({ length: readers }, () => readSome(sandbox.baseUrl, sandbox.token))
  )
  const growth = heldBytes() - before
  for (const response of responses) response.destroy()
  // What these readers read, and no more: 800 MiB where each body is made at once.
  expect(growth).toBeLessThan(readers * readBytes)
})
