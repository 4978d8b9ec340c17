import { describe, expect, it } from "vitest"
import { startCommand, startJson } from "../harness/sandbox/Command.ts"

const token = "log-token-of-the-test"

type Send = (path: string, body?: object | string, method?: string) => Promise<unknown>

const sendTo =
  (baseUrl: string): Send =>
  (path, body, method = "POST") =>
    fetch(baseUrl + path, {
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined
        ? {}
        : { method, body: typeof body === "string" ? body : JSON.stringify(body) })
    }).then(
      (response) => response.text(),
      () => "failed"
    )

const sms = { recipient: "+15551234567", message: "The secret is 42" }

const some = async (send: Send): Promise<void> => {
  await send("/sms/send", sms)
  await send("/sms/send", { ...sms, recipient: "+15550000402" })
  await send("/sms/send", { ...sms, recipient: "+15550000900" })
  await send("/sms/send", { ...sms, recipient: "" })
  await send("/sms/%2B15551234567")
  await send("/sms/%0a%1b%5b31m%e2%80%ae")
  await send("/sms/send", "The secret is 42")
  await send("/sms/send", { ...sms, recipient: "4711" })
  await send("/_sandbox/messages")
  await send("/_sandbox/fault", { fault: "Response", status: 503 }, "PUT")
  await send("/sms/send", sms)
}

/** The lines on stderr of the command, after these requests and its end. */
const logOf = async (json: boolean): Promise<ReadonlyArray<string>> => {
  await using command = startCommand(["--token", token, ...(json ? ["--json"] : [])])
  const [baseUrl] = await command.until(/http:\/\/127\.0\.0\.1:\d+/)
  await some(sendTo(baseUrl))
  command.kill("SIGTERM")
  const { stderr } = await command.ended
  for (const secret of ["secret", "5551234567", "15550000402", token, "4711"]) {
    expect(stderr).not.toContain(secret)
  }
  const lines = stderr.split("\n").slice(0, -1)
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]{1,600}$/)
  return lines
}

describe("the log of the command has no text, number, token or control character, and", () => {
  it("one line per request: time, method, path, status, refusal, message id, milliseconds", async () => {
    const lines = await logOf(false)
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    const expected = [
      String.raw`POST /sms/send 202 sbx-1-[a-z]{8} \d+ ms`,
      String.raw`POST /sms/send 402 forced 0402 \d+ ms`,
      String.raw`POST /sms/send - forced 0900 sbx-2-[a-z]{8} \d+ ms`,
      String.raw`POST /sms/send 400 recipient: it is empty; give a phone number \d+ ms`,
      String.raw`GET /sms/%2B\*\*\*4567 404 No message was found with the id \+\*\*\*4567 \d+ ms`,
      String.raw`GET /sms/%0a%1b%5b31m%e2%80%ae 404 No message was found with the id \?\?\[31m\? \d+ ms`,
      String.raw`POST /sms/send 400 Expected a valid JSON body \d+ ms`,
      String.raw`POST /sms/send 202 sbx-3-[a-z]{8} \d+ ms`,
      String.raw`POST /sms/send 503 fault Response \d+ ms`
    ]
    expect(lines).toHaveLength(expected.length)
    for (const [index, line] of expected.entries()) {
      expect(lines[index]).toMatch(new RegExp(`^${time} ${line}$`))
    }
  })

  it("one JSON object per line with --json", async () => {
    const logged = (await logOf(true)).map((line): Record<string, unknown> => JSON.parse(line))
    expect(logged[0]).toEqual({
      time: expect.any(String),
      method: "POST",
      path: "/sms/send",
      status: 202,
      message_id: expect.stringMatching(/^sbx-1-/),
      disconnected: false,
      id: 1,
      milliseconds: expect.any(Number)
    })
    expect(logged[1]).toMatchObject({ status: 402, fault: "Response", forced: "0402" })
    expect(logged[2]).not.toHaveProperty("status")
    expect(logged[3]).toMatchObject({ status: 400, refusal: expect.stringContaining("recipient") })
    expect(logged[4]?.["path"]).toBe("/sms/%2B***4567")
    expect(logged).toHaveLength(9)
  })
})

it("an unread log blocks neither the sandbox nor its exit", async () => {
  await using command = await startJson(["--token", token], { unread: "stderr" })
  const send = sendTo(command.baseUrl)
  // More than a pipe takes.
  const paths = Array(6000).fill(`/${"x".repeat(150)}`)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await send(path)
    })
  )
  command.kill("SIGTERM")
  expect(await command.ended).toMatchObject({ code: 0, signal: null })
})
