import { spawn } from "node:child_process"
import { once } from "node:events"
import { expect, it } from "vitest"
import { serverFile } from "../support/ServerFile.ts"
import { memoryInUse } from "./support/Hostile.ts"
import { requestOf } from "./support/RawStdio.ts"
import { cleanEnvironment } from "./support/ServerProcess.ts"

const mib = 1024 * 1024

const linesIn = (text: string) => text.split("\n").length - 1

it("a process whose stdout is not read uses little memory, and loses no response", async () => {
  const probe = new URL("support/MemoryProbe.ts", import.meta.url).href
  const child = spawn(
    process.execPath,
    ["--expose-gc", "--import", probe, serverFile, "--sandbox"],
    { env: cleanEnvironment(), stdio: ["pipe", "pipe", "ignore", "ipc"] }
  )
  const closed = once(child, "close")
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error("no pipes")
  try {
    const count = 6_000
    for (let id = 0; id < count; id += 1)
      stdin.write(`${JSON.stringify(requestOf("modern", id, "tools/list"))}\n`)
    let most = 0
    // Until the server reads no more input.
    for (let still = 0, before = -1; still < 10; still += 1) {
      if (stdin.writableLength !== before) still = 0
      before = stdin.writableLength
      child.send("memory")
      const [usage] = (await once(child, "message")) as [NodeJS.MemoryUsage]
      most = Math.max(most, memoryInUse(usage))
    }
    expect(stdin.writableLength).toBeGreaterThan(0)
    expect(most).toBeLessThan(80 * mib)
    let lines = 0
    for await (const chunk of stdout) {
      lines += linesIn(String(chunk))
      if (lines === count) break
    }
    expect(lines).toBe(count)
  } finally {
    child.kill("SIGKILL")
    await closed
  }
})
