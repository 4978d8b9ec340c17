/** The list of accepted SMS, and the selected one. */
import { useEffect } from "preact/hooks"
import { route } from "../Route.ts"
import { headingId, MessageDetail } from "./MessageDetail.tsx"
import { MessageList } from "./MessageList.tsx"

/** Moves the focus when a message is opened or closed. The keys `j` and `k` keep it in the list. */
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
