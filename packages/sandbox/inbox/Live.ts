/**
 * Reads the event stream, and reconnects when it is lost. Uses `fetch`, because `EventSource` cannot
 * send headers.
 */
import { effect, signal } from "@preact/signals"
import type { StoredMessage } from "../src/record/Stored.ts"
import { type Fault, isLocked, request } from "./Api.ts"
import { reportProblem } from "./Notice.tsx"
import { fault, messages, refreshAll, requests, updateMessage } from "./Store.ts"
import { token } from "./Token.ts"

interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses one block of lines. Returns `undefined` for a comment, which only keeps the connection
 * open.
 */
const parse = (block: string): ServerEvent | undefined => {
  let name = "message"
  const data: Array<string> = []
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (field === "event") name = value
    if (field === "data") data.push(value)
  }
  return data.length === 0 ? undefined : { name, data: data.join("\n") }
}

/**
 * Resolves when the server ends the stream, and rejects when the connection breaks. `onChunk` is
 * called for all data, also for comments that only show that the server runs.
 */
const readEvents = async (
  body: ReadableStream<Uint8Array>,
  handle: (event: ServerEvent) => void,
  onChunk: () => void
): Promise<void> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one chunk after the other
    const { done, value } = await reader.read()
    if (done) return
    onChunk()
    const blocks = (text + decoder.decode(value, { stream: true }))
      .replaceAll("\r\n", "\n")
      .split("\n\n")
    text = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = parse(block)
      if (event !== undefined) handle(event)
    }
  }
}

export type Connection = "connecting" | "live" | "reconnecting" | "locked"

export const connection = signal<Connection>("connecting")

const handle = ({ data, name }: ServerEvent): void => {
  switch (name) {
    case "message": {
      const message: StoredMessage = JSON.parse(data)
      updateMessage(message)
      messages.refresh()
      break
    }
    case "request":
      requests.refresh()
      break
    case "fault": {
      const current: Fault = JSON.parse(data)
      fault.value = current.fault
      break
    }
    case "cleared":
      refreshAll()
      break
  }
}

const maxDelay = 10_000

const delayAfter = (failures: number): number => Math.min(maxDelay, 250 * 2 ** failures)

let wake = (): void => {}

const sleep = (milliseconds: number | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/** Ends the delay before the next attempt. */
export const reconnectNow = (): void => wake()

/**
 * The sandbox sends data every 15 seconds. After sleep, a computer may not notice a lost
 * connection.
 */
const maxSilence = 40_000

const listen = async (): Promise<void> => {
  const silence = new AbortController()
  const headers = { accept: "text/event-stream" }
  const { body } = await request("events", { headers, signal: silence.signal })
  if (body === null) return
  connection.value = "live"
  // Not earlier: changes after this read arrive as events, so that none is missed.
  refreshAll()
  let timer: number | undefined
  const restart = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), maxSilence)
  }
  restart()
  try {
    await readEvents(body, handle, restart)
  } finally {
    clearTimeout(timer)
  }
}

export const keepListening = async (): Promise<void> => {
  addEventListener("online", reconnectNow)
  effect(() => {
    if (token.value !== undefined) reconnectNow()
  })
  let failures = 0
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one connection after the other
    await listen().catch(reportProblem)
    failures = connection.value === "live" ? 0 : failures + 1
    connection.value = isLocked.value ? "locked" : "reconnecting"
    // oxlint-disable-next-line no-await-in-loop
    await sleep(isLocked.value ? undefined : delayAfter(failures))
  }
}
