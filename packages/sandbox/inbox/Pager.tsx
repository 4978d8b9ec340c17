/**
 * Shows a list of the sandbox one page at a time, so that the document never holds more than one
 * page.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals"
import type { Page } from "./Api.ts"
import { Icon } from "./Icon.tsx"

export interface Pager<Item> {
  /** `undefined` before the first read. */
  readonly page: ReadonlySignal<Page<Item> | undefined>
  readonly isNewest: ReadonlySignal<boolean>
  /** Reads the page again. */
  readonly read: () => Promise<void>
  readonly older: () => void
  readonly newer: () => void
  readonly newest: () => void
}

/** `refresh` reads the page soon. */
export const makePager = <Item,>(
  load: (before: string | undefined) => Promise<Page<Item>>,
  refresh: () => void
): Pager<Item> => {
  const page = signal<Page<Item> | undefined>(undefined)
  /** Where each page begins, after the newest. */
  const cursors = signal<ReadonlyArray<string>>([])

  const go = (to: ReadonlyArray<string>): void => {
    cursors.value = to
    refresh()
  }

  return {
    page,
    isNewest: computed(() => cursors.value.length === 0),
    read: async () => {
      const { value } = cursors
      const loaded = await load(value.at(-1))
      // If the user changed the page meanwhile, the new page is read next.
      if (value === cursors.value) page.value = loaded
    },
    older: () => {
      const next = page.value?.next
      if (next !== undefined) go([...cursors.value, next])
    },
    newer: () => go(cursors.value.slice(0, -1)),
    newest: () => go([])
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
