import { describe, expect, it } from "vitest"
import { maxGrowthBytes, memoryInUse } from "../harness/mcp/Hostile.ts"
import { expectToSurviveHttp, expectToSurviveStdio } from "../harness/mcp/RandomMessages.ts"
import { openHttpProcess } from "../harness/mcp/RawHttp.ts"
import { eras, openStdioProcess } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import type { ServerProcess } from "../harness/mcp/ServerProcess.ts"

const secret = "t0ken-of-the-service"

/** Compares the memory of the process after an early batch and after the last one. */
const measuring = ({ memory }: ServerProcess) => {
  const sizes: Array<number> = []
  const load = {
    batches: 10,
    perBatch: 500,
    secret,
    afterBatch: async (batch: number) => {
      if (batch === 2 || batch === 10) sizes.push(memoryInUse(await memory()))
    }
  }
  const expectFlat = () => {
    const [early = 0, late = 0] = sizes
    expect(late - early).toBeLessThan(maxGrowthBytes)
  }
  return { load, expectFlat }
}

describe("5,000 random messages to a process", { timeout: 180_000 }, () => {
  it.each(eras)("leave nothing behind over stdio: %s", async (era) => {
    await using sandbox = await openSandbox(secret)
    await using stdio = await openStdioProcess(era, [], { env: sandbox.env, memory: true })
    const { expectFlat, load } = measuring(stdio.server)
    await expectToSurviveStdio(stdio, era, load)
    expectFlat()
  })

  it("leave nothing behind over HTTP", async () => {
    await using sandbox = await openSandbox(secret)
    await using http = await openHttpProcess([], { env: sandbox.env, memory: true })
    const { expectFlat, load } = measuring(http.server)
    await expectToSurviveHttp(http, load)
    expectFlat()
  })
})
