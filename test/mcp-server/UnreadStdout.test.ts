import * as Command from "@messaging-topup/mcp-server/src/Command.ts"
import * as Effect from "effect/Effect"
import { PassThrough, Readable, Writable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { type Era, eras, initializeOf, requestOf } from "./support/RawStdio.ts"

const mib = 1024 * 1024

const listLine = (era: Era, id: number) => `${JSON.stringify(requestOf(era, id, "tools/list"))}\n`

/** A client that does not read until the test says so. */
const lazyReader = () => {
  let reading = false
  let waiting = () => {}
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      if (reading) done()
      else waiting = done
    }
  })
  return {
    stdout,
    read: () => {
      reading = true
      waiting()
    }
  }
}

describe.each(eras)("a client of the %s era that never reads stdout", (era) => {
  it("is no longer read from while too much output is unread, and is served when it reads", async () => {
    const count = 4_000
    const client = { asked: 0 }
    const requests = function* () {
      if (era === "legacy") yield Buffer.from(`${JSON.stringify(initializeOf("first"))}\n`)
      for (; client.asked < count; client.asked += 1) {
        yield Buffer.from(listLine(era, client.asked))
      }
    }
    const reader = lazyReader()
    const ended = Effect.runPromise(
      Command.run({
        args: ["--sandbox"],
        environment: {},
        stdin: Readable.from(requests(), { objectMode: false }),
        stdout: reader.stdout,
        stderr: new PassThrough().resume(),
        stop: Effect.never
      })
    )
    while (client.asked === 0) await setImmediate()
    // Until the server reads no more input.
    for (let still = 0, before = -1; still < 200; still += 1) {
      if (client.asked !== before) still = 0
      before = client.asked
      await setImmediate()
    }
    expect(client.asked).toBeLessThan(count / 2)
    expect(reader.stdout.writableLength).toBeLessThan(4 * mib)
    reader.read()
    expect(await ended).toBe(0)
    expect(client.asked).toBe(count)
  })
})
