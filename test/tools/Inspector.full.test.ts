import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { serverFile } from "../harness/Bundled.ts"
import { cleanEnvironment } from "../harness/mcp/Server.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const inspector = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

const inspect = (args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [inspector, "--cli", ...args], {
    // It stores a catalog below the home directory.
    env: cleanEnvironment({ HOME: temporaryFolder() }),
    encoding: "utf8"
  })

const server = [process.execPath, serverFile]

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
