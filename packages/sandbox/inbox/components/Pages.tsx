/** The buttons to change the page of a list. */
import type { Pager } from "../Pager.ts"
import { Icon } from "./Icon.tsx"

export const Pages = <Item,>({ pager, what }: { pager: Pager<Item>; what: string }) => {
  const page = pager.page.value
  const isNewest = pager.isNewest.value
  if (page === undefined || (isNewest && page.next === undefined)) return null
  return (
    <nav class="pages" aria-label={`Pages of ${what}`}>
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
    <button type="button" class="arrived" onClick={pager.newest}>
      {count.toLocaleString()} new {count === 1 ? what.replace(/s$/, "") : what}: back to the newest
    </button>
  )
}
