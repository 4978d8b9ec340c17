import { createClient, NotFound } from "@messaging-topup/core/promise"
import process, { argv, env } from "node:process"
import { setTimeout } from "node:timers/promises"

const [, , messageId = "", finalStatus = ""] = argv

const { MESSAGING_TOPUP_BASE_URL: baseUrl, MESSAGING_TOPUP_TOKEN: token } = env
if (!baseUrl || !token) throw new Error("set MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")

const client = createClient({ baseUrl, token })

let last = "no response"

/** Reads until the SMS has the status. Right after a send, the service may not know the id yet. */
const follow = async (signal: AbortSignal) => {
  for (;;) {
    const { data } = await client.getSmsStatus(messageId, { signal }).catch((error: unknown) => {
      if (error instanceof NotFound) return { data: [] }
      throw error
    })
    const own = data.filter(({ message_id = messageId }) => message_id === messageId)
    const statuses = own.map(({ status }) => status)
    if (statuses.includes(finalStatus)) return
    last = statuses.join(", ") || "no such id"
    await setTimeout(100, undefined, { signal })
  }
}

const fiveSeconds = AbortSignal.timeout(5000)
try {
  await follow(fiveSeconds)
  console.log("final:", finalStatus)
} catch (error) {
  const problem = error instanceof Error ? error.message : error
  console.error(fiveSeconds.aborted ? `after 5 seconds: ${last}` : problem)
  // By 3, a job that sent before, and starts again after 1, does not send again.
  process.exitCode = 3
} finally {
  await client.close()
}
