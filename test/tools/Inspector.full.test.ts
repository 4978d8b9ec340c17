import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { serverFile } from "../harness/ServerFile.ts"
import { cleanEnvironment } from "../harness/mcp/Server.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"

const inspector = fileURLToPath(
  new URL(
    "../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

// Calls, eras and transports are those of Matrix.test.ts.
it("The Inspector reports no problem with the list of the tools", () => {
  const target = ["--transport", "stdio", process.execPath, serverFile, "--sandbox"]
  const asked = ["--protocol-era", "auto", "--method", "tools/list", "--strict"]
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [inspector, "--cli", ...target, ...asked],
    // It stores a catalog below the home directory.
    { env: cleanEnvironment({ HOME: temporaryFolder() }), encoding: "utf8" }
  )
  expect(status, stderr).toBe(0)
  expect(stderr).not.toMatch(/portab|warning/i)
  expect(JSON.parse(stdout)).toMatchObject({ tools: { length: 8 } })
})
