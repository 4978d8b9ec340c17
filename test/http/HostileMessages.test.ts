/**
 * Random messages to a server in this process; in the full tests 5,000 to one of its own, whose memory is
 * compared after an early batch and after the last one.
 */
import { describe, expect, it } from "vitest"
import { maxGrowthBytes, memoryInUse } from "../harness/mcp/Hostile.ts"
import { expectToSurviveHttp, expectToSurviveStdio } from "../harness/mcp/RandomMessages.ts"
import { openHttp, openHttpProcess } from "../harness/mcp/RawHttp.ts"
import { eras, openStdio, openStdioProcess } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import type { RunningServer, ServerProcess } from "../harness/mcp/Server.ts"
import { isFull } from "../harness/Runs.ts"

const secret = "t0ken-of-the-service"

const size = isFull ? { batches: 10, perBatch: 500 } : { batches: 1, perBatch: 200 }

const measuring = (server: RunningServer | ServerProcess) => {
  const sizes: Array<number> = []
  const afterBatch = async (batch: number) => {
    if ("memory" in server && (batch === 2 || batch === 10))
      sizes.push(memoryInUse(await server.memory()))
  }
  const expectFlat = () => {
    const [early = 0, late = 0] = sizes
    expect(sizes).toHaveLength(isFull ? 2 : 0)
    expect(late - early).toBeLessThan(maxGrowthBytes)
  }
  return { load: { ...size, secret, afterBatch }, expectFlat }
}

describe("random messages", () => {
  it.each(eras)("over stdio receive a response or are ignored: %s", async (era) => {
    await using sandbox = await openSandbox(secret)
    const { env } = sandbox
    await using stdio = isFull
      ? await openStdioProcess(era, [], { env, memory: true })
      : await openStdio(era, [], { env })
    const { expectFlat, load } = measuring(stdio.server)
    await expectToSurviveStdio(stdio, era, load)
    expectFlat()
  })

  it("over HTTP receive a response", async () => {
    await using sandbox = await openSandbox(secret)
    const { env } = sandbox
    await using http = isFull
      ? await openHttpProcess([], { env, memory: true })
      : await openHttp([], { env })
    const { expectFlat, load } = measuring(http.server)
    await expectToSurviveHttp(http, load)
    expectFlat()
  })
})
