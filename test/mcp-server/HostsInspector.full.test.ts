import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, expect, it } from "vitest"
import { freePort } from "../support/FreePort.ts"
import { blocksOf } from "./support/HostBlocks.ts"
import { logOf } from "./support/ServerLog.ts"
import { runningStubs, type StubPrograms } from "./support/StubPrograms.ts"

const [page = "", list = "", ...others] = blocksOf("docs/hosts.md")
  .filter(({ section }) => section === "In the Inspector")
  .map(({ text }) => text)

let stubs: StubPrograms

beforeAll(() => {
  stubs = runningStubs()
})

afterAll(() => stubs[Symbol.dispose]())

/** The Inspector stores a catalog below the home directory. */
const environment = () => ({ PATH: stubs.path, HOME: stubs.folder })

it("the Inspector opens its page, by the first command of the document", async () => {
  // The Inspector does not accept port 0.
  const port = String(await freePort())
  const child = spawn("sh", ["-eu", "-c", page], {
    // A process group of its own, so that all its processes can be ended.
    detached: true,
    env: {
      ...environment(),
      CLIENT_PORT: port,
      MCP_SANDBOX_PORT: String(await freePort()),
      MCP_AUTO_OPEN_ENABLED: "false"
    },
    stdio: ["ignore", "pipe", "ignore"]
  })
  const closed = once(child, "close")
  try {
    const line = await logOf(child.stdout).line((each) => each.includes(`:${port}`))
    const response = await fetch(line.trim())
    expect(response.status).toBe(200)
    expect(await response.text()).toContain("<html")
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    await closed
  }
})

it("the Inspector lists the tools, by the second command of the document", () => {
  expect(others).toEqual([])
  const { status, stderr, stdout } = spawnSync("sh", ["-eu", "-c", list], {
    encoding: "utf8",
    env: environment()
  })
  expect(status, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ tools: { length: 7 } })
})
