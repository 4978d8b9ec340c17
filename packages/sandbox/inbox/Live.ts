/**
 * Reads the event stream, and reconnects when it is lost. Uses `fetch`, because `EventSource` cannot
 * send headers.
 *
 * Data on the stream only says that something may have changed. The page then reads everything
 * again, so that it is correct even if an event was missed.
 */
import { signal } from "@preact/signals"
import { isLocked, readServiceToken, request } from "./Api.ts"
import { reportProblem } from "./Notice.tsx"
import { pause, refresh } from "./Store.ts"

/** Whether the page receives events. */
export const isLive = signal(false)

const maxDelay = 10_000

/**
 * The sandbox sends data every 15 seconds. After sleep, a computer may not notice a lost
 * connection.
 */
const maxSilence = 40_000

/** Resolves when the server ends the stream, and rejects when the connection breaks. */
const listen = async (): Promise<void> => {
  const silence = new AbortController()
  const headers = { accept: "text/event-stream" }
  const { body } = await request("events", { headers, signal: silence.signal })
  const reader = body?.getReader()
  isLive.value = true
  // A sandbox that was started again may have another token.
  await readServiceToken()
  for (let isOpen = reader !== undefined; isOpen;) {
    refresh()
    const timer = setTimeout(() => silence.abort(), maxSilence)
    // oxlint-disable-next-line no-await-in-loop -- one chunk after the other
    isOpen = (await reader?.read())?.done === false
    clearTimeout(timer)
  }
}

/** Ends if the sandbox needs a token: the page is loaded again with it. */
export const keepListening = async (): Promise<void> => {
  for (let failures = 0; !isLocked.value; failures++) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    await listen().catch(reportProblem)
    if (isLive.value) failures = 0
    isLive.value = false
    // oxlint-disable-next-line no-await-in-loop
    await pause(Math.min(maxDelay, 250 * 2 ** failures))
  }
}
