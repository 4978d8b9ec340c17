import { expect, it } from "vitest"
import { startSandboxCommand, startSandboxJson } from "../harness/Command.ts"

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
  await using command = startSandboxCommand(["--token", token, ...(json ? ["--json"] : [])])
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

it("the log of the command is Log.txt, without text, number, token or control character", async () => {
  const lines = [...(await logOf(false)), ...(await logOf(true))]
  const log = lines
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/sbx-(\d)-[a-z]{8}/g, "sbx-$1-ID")
    .replaceAll(/\d+ ms|"milliseconds":\d+/g, (took) => took.replace(/\d+/, "N"))
  await expect(`${log}\n`).toMatchFileSnapshot("Log.txt")
})

it("an unread log blocks neither the sandbox nor its exit", async () => {
  await using command = await startSandboxJson(["--token", token], { unread: "stderr" })
  const send = sendTo(command.baseUrl)
  // Four times what a pipe takes.
  const paths = Array(1500).fill(`/${"x".repeat(150)}`)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let path = paths.pop(); path !== undefined; path = paths.pop()) await send(path)
    })
  )
  command.kill("SIGTERM")
  expect(await command.ended).toMatchObject({ code: 0, signal: null })
})
