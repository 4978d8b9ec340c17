import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { transports } from "./support/McpClients.ts"
import { cleanEnvironment, type ServerProcess, startProcess } from "./support/ServerProcess.ts"
import { serverFile } from "../support/ServerFile.ts"
import { folderOfFile } from "./support/TemporaryFolder.ts"

const inspector = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

/** The Inspector stores a catalog below the home directory. */
const home = folderOfFile()

let server: ServerProcess

beforeAll(() => {
  server = startProcess(["--sandbox", "--http", "--port", "0"])
})

afterAll(() => server[Symbol.asyncDispose]())

const inspect = async (args: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [inspector, "--cli", ...args], {
    env: cleanEnvironment({ HOME: home }),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (stderr += String(chunk)))
  try {
    const [code] = await once(child, "close")
    return { code, stdout, stderr }
  } finally {
    child.kill("SIGKILL")
  }
}

const targets = {
  stdio: async () => ["--transport", "stdio", process.execPath, serverFile, "--sandbox"],
  http: async () => ["--transport", "http", "--server-url", await server.url()]
}

const eras = ["modern", "legacy", "auto"]

const runs = transports.flatMap((transport) => eras.map((era) => [transport, era] as const))

describe.each(runs)("The Inspector over %s, in the era %s,", (transport, era) => {
  const run = async (...options: ReadonlyArray<string>) =>
    inspect([...(await targets[transport]()), "--protocol-era", era, ...options])

  it("reports no problem with the list of the tools", async () => {
    const { code, stderr, stdout } = await run("--method", "tools/list", "--strict")
    expect(code, stderr).toBe(0)
    expect(stderr).not.toMatch(/portab|warning/i)
    expect(JSON.parse(stdout)).toMatchObject({ tools: { length: 8 } })
  })

  it("calls a tool", async () => {
    const args = JSON.stringify({ recipient: "+254700000001", message: `${transport} ${era}` })
    const { code, stderr, stdout } = await run(
      "--method",
      "tools/call",
      "--tool-name",
      "send_sms",
      "--tool-args-json",
      args
    )
    expect(code, stderr).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      structuredContent: { sent_by_this_call: true, data: [{ recipient: "+254700000001" }] }
    })
  })
})
