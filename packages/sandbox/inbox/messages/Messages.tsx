/** The accepted SMS: the list, and one of them. */
import { useEffect } from "preact/hooks"
import { route } from "../Route.ts"
import { headingId, MessageDetail } from "./MessageDetail.tsx"
import { MessageList } from "./MessageList.tsx"

/** Opening a message, or going back, moves the focus with it; the keys `j` and `k` stay in the list. */
const followOpened = (): void => {
  requestAnimationFrame(() => {
    const target =
      route.value.messageId === undefined
        ? document.querySelector<HTMLElement>("[data-row][tabindex='0']")
        : document.getElementById(headingId)
    target?.focus()
  })
}

export const Messages = () => {
  useEffect(() => {
    addEventListener("hashchange", followOpened)
    return () => removeEventListener("hashchange", followOpened)
  }, [])
  return (
    <div class="split" data-open={route.value.messageId !== undefined}>
      <MessageList />
      <MessageDetail />
    </div>
  )
}
