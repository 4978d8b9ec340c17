import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { approve, connect, type Route } from "../harness/mcp/GuardedServer.ts"
import { Disposables } from "../harness/mcp/Disposables.ts"
import { openSandbox } from "../harness/mcp/RealSandbox.ts"
import { startProcess, StreamTransport } from "../harness/mcp/Server.ts"
import { temporaryFolder } from "../harness/TemporaryFolder.ts"
import { readingTime } from "../harness/mcp/Clock.ts"
import * as Duration from "effect/Duration"

const total = 40

const batch = {
  message: "Your table is ready.",
  recipients: Array.from({ length: total }, (_, at) => `+2547000000${10 + at}`)
}

/** A server process has a clock of its own, so the person really reads. */
const person = async () => {
  await setTimeout(Duration.toMillis(readingTime))
  return approve
}

const cases: ReadonlyArray<readonly [Route["era"], number]> = [
  ["modern", 1],
  ["legacy", 13],
  ["modern", 27],
  ["legacy", 40]
]

describe(`a batch of ${total} SMS that is killed`, () => {
  it.each(cases)(
    "in the %s era at request %i and called again reaches nobody twice, and its counts are true",
    async (era, kill) => {
      await using upstream = await openSandbox()
      const env = {
        ...upstream.env,
        // The second call waits until what was in flight becomes unknown.
        MESSAGING_TOPUP_TIMEOUT: "3 seconds",
        MESSAGING_TOPUP_JOURNAL: join(temporaryFolder(), "sends.sqlite")
      }
      const start = async () => {
        const server = startProcess([], { env })
        return { server, client: await connect(era, new StreamTransport(server), { person }) }
      }

      const first = await start()
      const lost = first.client.call("send_sms_batch", batch).catch(() => "lost")
      await upstream.until(({ requests }) => requests.length >= kill)
      first.server.process.kill("SIGKILL")
      expect(await lost).toBe("lost")
      expect(first.client.questions).toHaveLength(1)
      await first.server.ended
      const { length: before } = await upstream.messages()

      await using opened = new Disposables()
      const second = await start()
      opened.use(second.server)
      const again = await second.client.call("send_sms_batch", batch)
      const accepted = (await upstream.messages()).map(({ recipient }) => recipient)
      const { sent, unknown } = again.structured
      const open = accepted.length - before
      expect(second.client.questions.map((text) => text.split("?", 1)[0])).toEqual(
        open === 0 ? [] : [`Send ${open} of these ${total} SMS`]
      )
      // No recipient twice, and nobody is left out except where it is said.
      expect(new Set(accepted).size).toBe(accepted.length)
      expect(again.structured).toMatchObject({ total, not_sent: 0 })
      expect(Number(sent) + Number(unknown)).toBe(total)
      // At most the four that were in flight are unknown, and each may or may not have been accepted.
      expect(unknown).toBeLessThanOrEqual(4)
      expect(accepted.length).toBeGreaterThanOrEqual(Number(sent))
      const doubtful = (again.structured["failed"] ?? []) as ReadonlyArray<{ recipient: string }>
      const doubted = new Set(doubtful.map(({ recipient }) => recipient))
      expect(doubted.size).toBe(unknown)
      expect(
        batch.recipients.filter((each) => !doubted.has(each) && !accepted.includes(each))
      ).toEqual([])

      // Now everything is known or unknown: nobody is asked, and nothing is sent.
      const asked = second.client.questions.length
      const third = await second.client.call("send_sms_batch", batch)
      expect(third.structured).toMatchObject({ sent, unknown, not_sent: 0 })
      expect(second.client.questions).toHaveLength(asked)
      expect(await upstream.messages()).toHaveLength(accepted.length)
      console.log(JSON.stringify({ era, kill, accepted: accepted.length, sent, unknown, before }))
    }
  )
})
