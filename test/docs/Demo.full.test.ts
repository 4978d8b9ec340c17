import { expect, it } from "vitest"
import { startNode } from "../harness/Process.ts"

it("the demo ends when the reader of its output closes the pipe", async () => {
  await using demo = startNode(["examples/demo/main.ts"])
  await demo.nextLine()
  demo.stopReading()
  expect(await demo.ended).toMatchObject({ code: 0, stderr: "" })
})

const shown = [
  "protocol   2026-07-28, ",
  "asked      Send this SMS? To +15550100123, ",
  "server     The SMS was sent",
  "assistant  get_sms_status",
  "server     This call sent nothing: the service accepted the same SMS",
  "server     It is unknown whether the SMS was sent.",
  "server     The SMS was not sent by this call",
  "1 (GSM-7, 125 units left)",
  "SANDBOX_DELIVERED created",
  "airtime ",
  "bundle_id",
  "AuthenticationFailed",
  "NotFound",
  "ConnectionLost: unknown",
  "docs/first-message.md"
]

it("the demo shows an assistant, a program, three failures and a killed campaign, which sends nothing twice, and --stay keeps the inbox open", async () => {
  await using demo = startNode(["examples/demo/main.ts", "--stay"], { env: { NO_COLOR: "1" } })
  const [, url = ""] = await demo.until(/The inbox stays open at (\S+)\. Stop with Ctrl\+C/)
  const { stderr, stdout } = demo.written
  expect(stderr).toBe("")
  for (const part of shown) expect(stdout).toContain(part)
  const rows = stdout.split("\n").filter((row) => /^ {2}(bundle_id|\S+-\d+[mg]b) /.test(row))
  expect(rows).toHaveLength(3)
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(60)
  // A terminal of 80 columns wraps longer lines, and shows 60 of them.
  const wrapped = stdout.split("\n").map((row) => Math.max(1, Math.ceil(row.length / 80)))
  expect(wrapped.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(63)

  const [, sent, unknown] = /sent +(\d+)\n +unknown +(\d+),.*\n +twice +0\n/.exec(stdout) ?? []
  expect(Number(sent) + Number(unknown)).toBe(1000)
  const page = await fetch(url)
  expect(page.headers.get("content-type")).toContain("text/html")
  demo.kill("SIGINT")
  expect(await demo.ended).toMatchObject({ stderr: "" })
})
