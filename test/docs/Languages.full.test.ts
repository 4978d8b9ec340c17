import { startSandbox } from "@messaging-topup/sandbox/promise"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { run, runNode } from "../harness/Process.ts"

/** The commands of a script, with the address of this sandbox. */
const linesOf = (script: string, baseUrl: string): ReadonlyArray<string> =>
  readFileSync(`examples/sandbox/${script}`, "utf8")
    .replaceAll("http://127.0.0.1:8080", baseUrl)
    .trim()
    .split("\n")

const curl = (line: string) => run("sh", ["-c", line])

const isThere = (program: string, flag: string): boolean => spawnSync(program, [flag]).status === 0

describe("the programs of docs/languages.md", () => {
  it("in Python start a sandbox, find their SMS, and leave no process running", async (context) => {
    if (!isThere("python3", "--version")) return context.skip("there is no python3")
    for (let times = 1; times <= 2; times++) {
      // A sandbox that went on would hold stderr open, and this would not end.
      const { code, stderr } = await run("python3", [
        "-m",
        "unittest",
        "examples/sandbox/test_sms.py"
      ])
      expect(code, stderr).toBe(0)
      expect(stderr).toMatch(/^Ran 1 test in /m)
    }
  })

  it("in Java lose a response, and find their SMS", async (context) => {
    if (!isThere("java", "--version")) return context.skip("there is no Java")
    await using sandbox = await startSandbox({ token: "secret" })
    const settings = { MESSAGING_TOPUP_BASE_URL: sandbox.baseUrl, MESSAGING_TOPUP_TOKEN: "secret" }
    const program = ["examples/sandbox/LostResponse.java"]
    const { code, stderr } = await run("java", program, { env: settings })
    expect(code, stderr).toBe(0)
    expect(await sandbox.messages()).toHaveLength(1)
  })

  it("with curl send, find, lose a response; then reset, force failures, read back", async (context) => {
    if (!isThere("curl", "--version")) return context.skip("there is no curl")
    await using sandbox = await startSandbox({ token: "secret" })
    const outputOf = async (line: string) => (await curl(line)).stdout
    const first = linesOf("first.sh", sandbox.baseUrl)
    expect(first).toHaveLength(3)
    const [send = "", find = "", fault = ""] = first
    expect(await outputOf(send)).toContain('"success":true')
    expect(await outputOf(find)).toContain('"message":"Hello"')
    expect(await outputOf(fault)).toContain("ResetAfterAcceptance")
    // 52: nothing was received; 56: the connection was reset.
    expect([52, 56]).toContain((await curl(send)).code)
    expect(await sandbox.messages()).toHaveLength(2)
    // The fault of the first script waits for the next request.
    await outputOf(fault)
    const force = linesOf("force.sh", sandbox.baseUrl)
    expect(force).toHaveLength(5)
    const [reset = "", refused = "", unavailable = "", list = "", requests = ""] = force
    expect(await outputOf(reset)).toBe("")
    expect(await outputOf(refused)).toContain('"status":402')
    expect(await outputOf(unavailable)).toContain('"status":503')
    expect(await outputOf(`${send} --write-out " %{http_code}"`)).toContain("{} 503")
    expect(await outputOf(send)).toContain('"success":true')
    expect(await outputOf(list)).toContain('"accepted":1')
    expect(await outputOf(requests)).toContain('"received":3')
  })

  it("with promises get a lost response", async () => {
    const { code, stdout } = await runNode(["--test", "examples/sandbox/promise.ts"])
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/pass 1$/m)
  })
})
