import { forcedOutcomes } from "@messaging-topup/sandbox"
import { describe, expect, it } from "vitest"
import { runNode, start } from "../harness/Process.ts"
import { commandFile } from "../harness/Bundled.ts"
import { startSandboxCommand, startSandboxJson } from "../harness/Command.ts"

const runCommand = (...args: ReadonlyArray<string>) => runNode([commandFile, "sandbox", ...args])

describe("messaging-topup sandbox", () => {
  it("prints client settings, and its address and inbox last", async () => {
    await using command = startSandboxCommand()
    await command.until(/Inbox .*\n/)
    const text = command.written.stdout
    expect(text.trim().split("\n").slice(-2)).toEqual([
      expect.stringMatching(/^ {2}Address {2}http:\S+$/),
      expect.stringMatching(/^ {2}Inbox {4}http:\S+$/)
    ])
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
    // A variable would outlive the trial, and real sends would stand in its journal.
    expect(text).toContain("Give trials a journal of their own")
    expect(text).not.toContain("MESSAGING_TOPUP_JOURNAL")
    const baseUrl = /export MESSAGING_TOPUP_BASE_URL=(\S+)/.exec(text)?.[1]
    const token = /export MESSAGING_TOPUP_TOKEN=(\S+)/.exec(text)?.[1]
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${baseUrl}/v1/airtime/AIR-1001`, { headers })).status).toBe(200)
  })

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "prints one line of JSON with --json, and exits with 0 on %s, also while a client is connected",
    async (signal) => {
      await using command = await startSandboxJson(["--quiet"])
      const headers = { authorization: `Bearer ${command.token}` }
      expect((await fetch(`${command.baseUrl}/v1/list-bundles`, { headers })).status).toBe(200)
      command.kill(signal)
      const { code, stderr, stdout } = await command.ended
      expect([code, stdout.trim().split("\n").length, stderr]).toEqual([0, 1, ""])
    }
  )

  it("ends when npx ends, which ends only the shell between them", async () => {
    const command = [process.execPath, commandFile, "sandbox", "--port", "0", "--json", "--quiet"]
    await using shell = start("sh", ["-c", '"$@" & wait', "sh", ...command], {
      env: { npm_command: "exec" }
    })
    await shell.nextLine()
    shell.kill("SIGTERM")
    // The sandbox has the other end of its pipes.
    expect(await shell.ended).toMatchObject({ signal: "SIGTERM" })
  })

  it("warns if other machines can reach it, and says that the inbox needs the token", async () => {
    await using command = startSandboxCommand(["--host", "0.0.0.0", "--token", "my-token"])
    await command.until(/Inbox.*\n/)
    expect(command.written.stdout).toMatch(
      /Inbox {4}http:\/\/127\.0\.0\.1:\d+\/ \(the token is the password\)\n/
    )
    await expect(
      command.until(/0\.0\.0\.0 is reachable from other machines/, "stderr")
    ).resolves.toBeDefined()
  })

  it("keeps as many messages and requests as the options say", async () => {
    await using command = await startSandboxJson(["--max-messages", "2", "--max-requests", "1"])
    const { baseUrl, token } = command
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const body = JSON.stringify({ recipient: "+15551234567", message: "Hello" })
    for (let n = 0; n < 3; n++)
      await fetch(`${baseUrl}/sms/send`, { method: "POST", headers, body })
    const page = async (path: string) => (await fetch(`${baseUrl}/_sandbox/${path}`)).json()
    expect(await page("messages")).toMatchObject({ kept: 2, accepted: 3 })
    expect(await page("requests")).toMatchObject({ kept: 1, received: 3 })
  })

  it("prints its options, the forced outcomes and the sample records with --help", async () => {
    const { code, stdout } = await runCommand("--help")
    expect(code).toBe(0)
    const options = "port host token max-messages max-requests json quiet help version"
    for (const option of options.split(" ")) expect(stdout).toContain(`--${option}`)
    for (const text of ["inbox", "/_sandbox/", "/openapi.json", "AIR-1002", "DATA-2002"]) {
      expect(stdout).toContain(text)
    }
    for (const { accepted, response, suffix } of forcedOutcomes) {
      expect(stdout).toMatch(new RegExp(`${suffix} +${accepted ? "yes" : "no"} +`))
      expect(stdout).toContain(response)
    }
  })
})
