/** The accepted SMS, newest first. */
import { useEffect, useRef } from "preact/hooks"
import { clearMessages } from "../Api.ts"
import { ClearButton } from "../components/ClearButton.tsx"
import { Arrived, Pages } from "../components/Pages.tsx"
import { navigate, toView } from "../Route.ts"
import { isFiltered, messages, shown } from "../Store.ts"
import { FirstMessage } from "./FirstMessage.tsx"
import { MessageRow } from "./MessageRow.tsx"
import { Search } from "./Search.tsx"

const Rows = () => {
  const page = messages.page.value
  const current = shown.value
  const shownId = typeof current === "object" ? current.message_id : undefined
  if (page === undefined) return <p class="empty">Loading…</p>
  if (page.items.length > 0) {
    return (
      <ul class="rows">
        {page.items.map((message, index) => (
          <MessageRow
            key={message.message_id}
            message={message}
            isShown={message.message_id === shownId}
            isFirst={index === 0}
          />
        ))}
      </ul>
    )
  }
  if (isFiltered.value) return <p class="empty">No message matches the search.</p>
  return messages.isNewest.value ? (
    <FirstMessage />
  ) : (
    <p class="empty">The messages of this page are gone.</p>
  )
}

const clear = async (): Promise<void> => {
  await clearMessages()
  navigate(toView("messages"))
  messages.newest()
}

export const MessageList = () => {
  const scroller = useRef<HTMLDivElement>(null)
  const first = messages.page.value?.items[0]?.message_id
  const isNewest = messages.isNewest.value
  // An older page starts at the top. On the newest page, an arriving message must not scroll the
  // list.
  useEffect(() => {
    if (!isNewest) scroller.current?.scrollTo(0, 0)
  }, [isNewest, first])
  return (
    <section class="pane list-pane" aria-label="Messages">
      <div class="pane-head">
        <Search />
        <ClearButton
          what="messages"
          kept={messages.page.value?.kept ?? 0}
          consequence="All of them are cleared, not only the search results, and their statuses can no longer be read."
          clear={clear}
        />
      </div>
      <Arrived pager={messages} what="messages" />
      <div class="scroller" ref={scroller}>
        <Rows />
        <Pages pager={messages} what="messages" />
      </div>
    </section>
  )
}
