import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished, vi } from "vitest"
import { serverFile } from "../harness/Bundled.ts"
import { cleanEnvironment, type Environment } from "../harness/mcp/Server.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const inspector = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

const inspect = (args: ReadonlyArray<string>, environment: Environment = {}) =>
  spawnSync(process.execPath, [inspector, "--cli", ...args], {
    // It stores a catalog below the home directory.
    env: cleanEnvironment({ ...environment, HOME: temporaryFolder() }),
    encoding: "utf8"
  })

const server = [process.execPath, serverFile] as const

// Calls, eras and transports are those of Matrix.test.ts.
it("The Inspector reports no problem with the list of the tools", () => {
  const target = ["--transport", "stdio", ...server, "--sandbox"]
  const asked = ["--protocol-era", "auto", "--method", "tools/list", "--strict"]
  const { status, stderr, stdout } = inspect([...target, ...asked])
  expect(status, stderr).toBe(0)
  expect(stderr).not.toMatch(/portab|warning/i)
  expect(JSON.parse(stdout)).toMatchObject({ tools: { length: 8 } })
})

it("The line of docs/hosts.md for the Inspector sends an SMS", () => {
  const page = readFileSync(new URL("../../docs/hosts.md", import.meta.url), "utf8")
  const command = "inspector --cli node packages/mcp-server/dist/main.cjs "
  const [, line = ""] = page.replaceAll("\\\n", "").split(command)
  const [args = ""] = line.split("\n")
  const words = [...args.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const { status, stderr, stdout } = inspect([...server, ...words])
  expect(status, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { outcome: "sent" } })
})

it("A variable gets to the server by -e of the Inspector, or env of a client of the SDK, alone", async () => {
  const variables = {
    MESSAGING_TOPUP_BASE_URL: "http://127.0.0.1:9",
    MESSAGING_TOPUP_TOKEN: "token",
    MESSAGING_TOPUP_JOURNAL: "memory"
  }
  const isMissing = "MESSAGING_TOPUP_BASE_URL is not set"
  const asked = ["--method", "tools/list"]
  const exported = inspect([...server, ...asked], variables)
  expect(exported.status).toBe(1)
  expect(exported.stderr).toContain(isMissing)
  const given = Object.entries(variables).flatMap(([name, value]) => ["-e", `${name}=${value}`])
  const { status, stderr, stdout } = inspect([...server, ...given, ...asked])
  expect(status, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ tools: { length: 8 } })

  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const [command, ...args] = server
  const transport = new StdioClientTransport({ command, args, stderr: "pipe" })
  await transport.start()
  const [line] = await once(transport.stderr ?? expect.fail(), "data")
  expect(String(line)).toContain(isMissing)
  await transport.close()
})
