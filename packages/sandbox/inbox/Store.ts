/**
 * The data of the sandbox that the page has read.
 */
import { computed, effect, signal } from "@preact/signals"
import type { SandboxFault } from "../src/faults/Fault.ts"
import type { StoredMessage } from "../src/record/Stored.ts"
import { type Filter, getFault, getMessage, listMessages, listRequests, Refused } from "./Api.ts"
import { announce, reportProblem } from "./Notice.tsx"
import { makePager } from "./Pager.tsx"
import { route } from "./Route.ts"

export const filter = signal<Filter>({ recipient: "", text: "" })

export const isFiltered = computed(() => filter.value.recipient !== "" || filter.value.text !== "")

export const messages = makePager((before) => listMessages(filter.value, before), reportProblem)

export const requests = makePager(listRequests, reportProblem)

export const search = (change: Partial<Filter>): void => {
  filter.value = { ...filter.value, ...change }
  messages.newest()
}

export const fault = signal<SandboxFault | null>(null)

const refreshFault = async (): Promise<void> => {
  try {
    fault.value = (await getFault()).fault
  } catch (error) {
    reportProblem(error)
  }
}

/** The message that was opened by its id. The current page of the list may not have it. */
const opened = signal<StoredMessage | "missing" | undefined>(undefined)

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

export const updateMessage = (message: StoredMessage): void => {
  if (route.value.messageId === message.message_id) opened.value = message
}

const refreshOpened = async (): Promise<void> => {
  const { messageId } = route.value
  if (messageId === undefined) return
  try {
    updateMessage(await getMessage(messageId))
  } catch (error) {
    if (error instanceof Refused && error.status === 404) opened.value = "missing"
    else reportProblem(error)
  }
}

/** Reads everything again: at the start, after a reconnect, and after a clear. */
export const refreshAll = (): void => {
  messages.refresh()
  requests.refresh()
  void refreshFault()
  void refreshOpened()
}

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
  let last: string | undefined
  effect(() => {
    const { messageId } = route.value
    if (messageId === last) return
    last = messageId
    opened.value = undefined
    void refreshOpened()
  })
}
