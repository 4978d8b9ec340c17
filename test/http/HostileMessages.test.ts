import { describe, it } from "vitest"
import { expectToSurviveHttp, expectToSurviveStdio } from "../harness/mcp/RandomMessages.ts"
import { openHttp } from "../harness/mcp/RawHttp.ts"
import { eras, openStdio } from "../harness/mcp/RawStdio.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"

const secret = "t0ken-of-the-service"

const load = { batches: 1, perBatch: 200, secret }

describe("random messages", () => {
  it.each(eras)("over stdio receive a response or are ignored: %s", async (era) => {
    await using sandbox = await openSandbox(secret)
    await using stdio = await openStdio(era, [], { env: sandbox.env })
    await expectToSurviveStdio(stdio, era, load)
  })

  it("over HTTP receive a response", async () => {
    await using sandbox = await openSandbox(secret)
    await using http = await openHttp([], { env: sandbox.env })
    await expectToSurviveHttp(http, load)
  })
})
