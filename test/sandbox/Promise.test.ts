import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  type SandboxFault,
  type SandboxHandle,
  startSandbox
} from "@messaging-topup/sandbox/promise"

const sms = { recipient: "+15551234567", message: "Hello" }

const send = ({ baseUrl, token }: SandboxHandle, fields: object = sms) =>
  fetch(`${baseUrl}/sms/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(fields)
  })

const status = async ({ baseUrl, token }: SandboxHandle, id: string | undefined) => {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${baseUrl}/sms/${id}`, { headers })
  const { data } = JSON.parse(await response.text())
  return data[0].status
}

const asked = async ({ baseUrl }: SandboxHandle, path: string) =>
  JSON.parse(await (await fetch(`${baseUrl}/_sandbox${path}`)).text())

const failed = (promise: Promise<unknown>) =>
  promise.then(
    () => "resolved",
    (error: unknown) => error
  )

describe("startSandbox", () => {
  it("runs a sandbox with the data of the control endpoints", async () => {
    await using sandbox = await startSandbox()
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(sandbox.token).toMatch(/^sandbox-/)
    expect((await send(sandbox)).status).toBe(202)
    expect((await send(sandbox, { ...sms, message: "Bye" })).status).toBe(202)
    expect(await sandbox.messages()).toEqual((await asked(sandbox, "/messages")).messages)
    expect(await sandbox.requests()).toEqual((await asked(sandbox, "/requests")).requests)
    expect((await sandbox.messages()).map(({ message }) => message)).toEqual(["Bye", "Hello"])
    expect(await sandbox.messages({ text: "bye", recipient: "4567" })).toHaveLength(1)
    expect(await sandbox.requests()).toMatchObject([{ status: 202 }, { status: 202 }])
  })

  it("uses the given token and port", async () => {
    const first = await startSandbox({ token: "my-token" })
    const port = Number(new URL(first.baseUrl).port)
    await first.close()
    await using second = await startSandbox({ token: "my-token", port, host: "localhost" })
    expect(second).toMatchObject({ token: "my-token", baseUrl: `http://localhost:${port}` })
    expect((await send(second)).status).toBe(202)
  })

  it("sets and clears a fault, which the control endpoints show", async () => {
    await using sandbox = await startSandbox()
    const fault: SandboxFault = { fault: "Response", status: 503, body: "busy", headers: {} }
    await sandbox.setFault({ ...fault, times: 2 })
    expect(await asked(sandbox, "/fault")).toEqual({ fault: { ...fault, times: 2 } })
    expect((await send(sandbox)).status).toBe(503)
    await sandbox.clearFault()
    expect((await send(sandbox)).status).toBe(202)
  })

  it("sets the status of a message", async () => {
    await using sandbox = await startSandbox()
    await send(sandbox)
    const [message] = await sandbox.messages()
    const id = message?.message_id ?? ""
    expect(await sandbox.setStatus(id, "FAILED")).toEqual({ ...message, status: "FAILED" })
    expect([await status(sandbox, id), await status(sandbox, id)]).toEqual(["FAILED", "FAILED"])
  })

  it("deletes messages and requests, and clears the fault", async () => {
    await using sandbox = await startSandbox()
    await send(sandbox)
    await sandbox.setFault({ fault: "ResetBeforeAcceptance" })
    await sandbox.reset()
    expect([await sandbox.messages(), await sandbox.requests()]).toEqual([[], []])
    expect((await send(sandbox)).status).toBe(202)
  })

  it("closes once, with all waiting clients", async () => {
    const sandbox = await startSandbox()
    await sandbox.setFault({ fault: "NoResponse" })
    const waiting = failed(send(sandbox))
    while ((await sandbox.requests()).length === 0) await new Promise(setImmediate)
    await Promise.all([sandbox.close(), sandbox.close(), sandbox[Symbol.asyncDispose]()])
    expect(await waiting).toBeInstanceOf(TypeError)
    await sandbox.clearFault()
    await sandbox.reset()
    expect(await failed(send(sandbox))).toMatchObject({ cause: { code: "ECONNREFUSED" } })
  })

  it("rejects if the port is in use, and says what to do", async () => {
    await using sandbox = await startSandbox()
    const port = Number(new URL(sandbox.baseUrl).port)
    const error = await failed(startSandbox({ port }))
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      _tag: "ListenFailed",
      message: expect.stringContaining("choose another port"),
      stack: expect.stringContaining("Promise.test.ts")
    })
  })

  const badOptions = [
    [{ port: "8080" }, "port: "],
    [{ port: 65536 }, "port: "],
    [{ host: "" }, "host: "],
    [{ token: "two words" }, "token: Expected visible ASCII characters"],
    [{ token: "" }, "token: "],
    [{ maxMessages: 0 }, "maxMessages: "],
    [{ maxRequests: 1.5 }, "maxRequests: "],
    [{ maxMessage: 5 }, "maxMessage: "],
    [null, "Expected object"]
  ] as const
  for (const [options, problem] of badOptions) {
    it(`rejects ${JSON.stringify(options)}, and names the field`, async () => {
      expect(await failed(Reflect.apply(startSandbox, undefined, [options]))).toMatchObject({
        _tag: "InvalidInput",
        message: expect.stringContaining(problem)
      })
    })
  }

  it("treats undefined options as absent", async () => {
    const { port, token } = { port: undefined, token: undefined }
    await using sandbox = await startSandbox({ port, token })
    expect(sandbox.token).toMatch(/^sandbox-/)
  })

  it("rejects invalid faults, filters, statuses and message ids", async () => {
    await using sandbox = await startSandbox()
    await send(sandbox)
    const [message] = await sandbox.messages()
    const id = message?.message_id
    const call = (name: keyof SandboxHandle, ...args: ReadonlyArray<unknown>) =>
      failed(Reflect.apply(Object(sandbox[name]), undefined, args))
    const calls = [
      [call("setFault", { fault: "Response", status: 99 }), "InvalidInput", "status: "],
      [call("setFault", { fault: "NoResponse", time: 1 }), "InvalidInput", "time: "],
      [call("setFault"), "InvalidInput", "Expected"],
      [call("messages", { text: 5 }), "InvalidInput", "text: "],
      [call("messages", { recipent: "x" }), "InvalidInput", "recipent: "],
      [call("setStatus", id, ""), "InvalidInput", "status: "],
      [call("setStatus", undefined, "X"), "InvalidInput", "messageId: "],
      [call("setStatus", "nope", "X"), "UnknownMessage", "no message with this id"]
    ] as const
    for (const [rejection, tag, problem] of calls) {
      expect(await rejection).toMatchObject({
        _tag: tag,
        message: expect.stringContaining(problem)
      })
    }
    expect((await send(sandbox)).status).toBe(202)
  })

  it("has no Effect types in its declarations", () => {
    const imported = (file: string): ReadonlyArray<string> =>
      [...readFileSync(`packages/sandbox/src/${file}`, "utf8").matchAll(/ from "([^"]+)"/g)].map(
        ([, name = ""]) => name
      )
    expect(imported("Types.ts")).toEqual([])
  })
})
