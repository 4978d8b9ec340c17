/**
 * Shows a list of the sandbox one page at a time, so that the document never holds more than one
 * page.
 *
 * An event only says that a list changed. The page is then read again, so that it is correct even
 * if an event was missed.
 */
import { batch, computed, type ReadonlySignal, signal } from "@preact/signals"
import type { Page } from "./Api.ts"
import { Icon } from "./Icon.tsx"

export interface Pager<Item> {
  /** `undefined` before the first read. */
  readonly page: ReadonlySignal<Page<Item> | undefined>
  readonly isNewest: ReadonlySignal<boolean>
  /** How many entries have arrived since an older page was opened. */
  readonly arrived: ReadonlySignal<number>
  readonly refresh: () => void
  readonly older: () => void
  readonly newer: () => void
  readonly newest: () => void
}

const minPause = 120

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/**
 * Runs at once. If called again while it runs, it runs once more after a pause. Never runs in
 * parallel.
 */
const oneAtATime = (work: () => Promise<void>): (() => void) => {
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

interface Cursor {
  readonly before: string
  /** The total when the newest page was left. */
  readonly totalBefore: number
}

export const makePager = <Item,>(
  load: (before: string | undefined) => Promise<Page<Item>>,
  onFailure: (error: unknown) => void
): Pager<Item> => {
  const page = signal<Page<Item> | undefined>(undefined)
  const cursors = signal<ReadonlyArray<Cursor>>([])

  const refresh = oneAtATime(async () => {
    const { value } = cursors
    try {
      const loaded = await load(value.at(-1)?.before)
      // If the user changed the page meanwhile, the new page is read next.
      if (value === cursors.value) page.value = loaded
    } catch (error) {
      onFailure(error)
    }
  })

  const go = (to: ReadonlyArray<Cursor>): void => {
    cursors.value = to
    refresh()
  }

  return {
    page,
    isNewest: computed(() => cursors.value.length === 0),
    arrived: computed(() => {
      const [first] = cursors.value
      return first === undefined ? 0 : Math.max(0, (page.value?.total ?? 0) - first.totalBefore)
    }),
    refresh,
    older: () => {
      const { next, total } = page.value ?? {}
      if (next === undefined) return
      const [first] = cursors.value
      go([...cursors.value, { before: next, totalBefore: first?.totalBefore ?? total ?? 0 }])
    },
    newer: () => go(cursors.value.slice(0, -1)),
    newest: () => batch(() => go([]))
  }
}

/** The buttons to change the page. */
export const Pages = <Item,>({ pager, what }: { pager: Pager<Item>; what: string }) => {
  const page = pager.page.value
  const isNewest = pager.isNewest.value
  if (page === undefined || (isNewest && page.next === undefined)) return null
  return (
    <nav class="pages line" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={isNewest} onClick={pager.newest}>
        Newest
      </button>
      <button type="button" disabled={isNewest} onClick={pager.newer}>
        <Icon name="back" /> Newer
      </button>
      <button type="button" disabled={page.next === undefined} onClick={pager.older}>
        Older <Icon name="next" />
      </button>
    </nav>
  )
}

/** Shows on an older page how many entries have arrived since. */
export const Arrived = <Item,>({ pager, what }: { pager: Pager<Item>; what: string }) => {
  const count = pager.arrived.value
  return count === 0 ? null : (
    <button
      type="button"
      class="arrived rigid toned strong"
      data-tone="done"
      onClick={pager.newest}
    >
      {count.toLocaleString()} new {count === 1 ? what.replace(/s$/, "") : what}: back to the newest
    </button>
  )
}
