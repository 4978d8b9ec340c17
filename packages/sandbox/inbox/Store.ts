/**
 * The data of the sandbox that the page has read.
 */
import { computed, effect, signal, untracked } from "@preact/signals"
import type { SandboxFault } from "../src/faults/Fault.ts"
import type { StoredMessage } from "../src/record/Stored.ts"
import { type Filter, getFault, getMessage, listMessages, listRequests, Refused } from "./Api.ts"
import { announce, reportProblem } from "./Notice.tsx"
import { makePager } from "./Pager.tsx"
import { route } from "./Route.ts"

const minPause = 120

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/**
 * Runs at once. If called again while it runs, it runs once more after a pause. Never runs in
 * parallel.
 */
const oneAtATime = (work: () => Promise<unknown>): (() => void) => {
  let isRunning = false
  let isWanted = false
  const run = async (): Promise<void> => {
    isRunning = true
    while (isWanted) {
      isWanted = false
      const started = performance.now()
      // oxlint-disable-next-line no-await-in-loop -- one read after the other
      await work()
      // A pause, so that a sandbox that lists slowly does not spend all its time on this page.
      // oxlint-disable-next-line no-await-in-loop
      await pause(Math.max(minPause, 3 * (performance.now() - started)))
    }
    isRunning = false
  }
  return () => {
    isWanted = true
    if (!isRunning) void run()
  }
}

/** Reads everything again. */
export const refresh = oneAtATime(() =>
  Promise.all(
    [messages.read, requests.read, readFault, readOpened].map((read) => read().catch(reportProblem))
  )
)

export const filter = signal<Filter>({ recipient: "", text: "" })

export const isFiltered = computed(() => filter.value.recipient !== "" || filter.value.text !== "")

export const messages = makePager((before) => listMessages(filter.value, before), refresh)

export const requests = makePager(listRequests, refresh)

export const search = (change: Partial<Filter>): void => {
  filter.value = { ...filter.value, ...change }
  messages.newest()
}

export const fault = signal<SandboxFault | null>(null)

const readFault = async (): Promise<void> => {
  fault.value = (await getFault()).fault
}

/** The message that was opened by its id. The current page of the list may not have it. */
const opened = signal<StoredMessage | "missing" | undefined>(undefined)

const readOpened = async (): Promise<void> => {
  const { messageId } = route.value
  if (messageId === undefined) return
  try {
    const message = await getMessage(messageId)
    if (route.value.messageId === messageId) opened.value = message
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404)) throw error
    opened.value = "missing"
  }
}

/** The message in the detail pane. */
export const shown = computed((): StoredMessage | "missing" | undefined => {
  const { messageId } = route.value
  const items = messages.page.value?.items ?? []
  if (messageId === undefined) return items[0]
  const here = items.find((item) => item.message_id === messageId)
  if (here !== undefined) return here
  const { value } = opened
  return value === "missing" || value?.message_id === messageId ? value : undefined
})

const announceArrivals = (): void => {
  let lastTotal: number | undefined
  effect(() => {
    const { value } = messages.page
    if (value === undefined) return
    const arrived = value.total - (lastTotal ?? value.total)
    lastTotal = value.total
    const [first] = value.items
    if (arrived === 1 && first !== undefined && messages.isNewest.peek()) {
      announce(`New SMS to ${first.recipient.slice(0, 40)}: ${first.message.slice(0, 160)}`)
    } else if (arrived > 0) {
      announce(`${arrived} new SMS`)
    }
  })
}

export const keepStore = (): void => {
  announceArrivals()
  effect(() => {
    if (route.value.messageId === undefined) return
    opened.value = undefined
    untracked(refresh)
  })
}
