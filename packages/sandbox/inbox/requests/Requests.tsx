/** The requests to the five endpoints, newest first. */
import { useEffect, useRef } from "preact/hooks"
import { clearRequests } from "../Api.ts"
import { ClearButton } from "../components/ClearButton.tsx"
import { Arrived, Pages } from "../components/Pages.tsx"
import { requests } from "../Store.ts"
import { RequestRow } from "./RequestRow.tsx"

const clear = async (): Promise<void> => {
  await clearRequests()
  requests.newest()
}

export const Requests = () => {
  const page = requests.page.value
  const scroller = useRef<HTMLDivElement>(null)
  const isNewest = requests.isNewest.value
  const first = page?.items[0]?.id
  useEffect(() => {
    if (!isNewest) scroller.current?.scrollTo(0, 0)
  }, [isNewest, first])
  return (
    <section class="pane wide-pane" aria-label="Requests">
      <Arrived pager={requests} what="requests" />
      <div class="scroller" ref={scroller}>
        <div class="wide">
          <div class="wide-head">
            <h2>Requests</h2>
            <ClearButton
              what="requests"
              kept={page?.kept ?? 0}
              consequence="The messages that were accepted stay."
              clear={clear}
            />
          </div>
          <p class="lead">
            Every request to the five endpoints, with the reason if it was refused. Requests of the
            inbox are not included.
          </p>
          {page === undefined ? <p class="empty">Loading…</p> : null}
          {page?.items.length === 0 ? <p class="empty">No requests yet.</p> : null}
          {page === undefined || page.items.length === 0 ? null : (
            <ul class="cards">
              {page.items.map((request) => (
                <RequestRow key={`${request.id} ${request.time}`} request={request} />
              ))}
            </ul>
          )}
          <Pages pager={requests} what="requests" />
        </div>
      </div>
    </section>
  )
}
