/** Whether the page hears of what happens. */
import { type Connection, connection, reconnectNow } from "./Live.ts"

const words: Record<Connection, string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  locked: "Locked"
}

export const ConnectionState = () => {
  const state = connection.value
  return (
    <span class="connection" data-state={state}>
      <span role="status">{words[state]}</span>
      {state === "reconnecting" ? (
        <button type="button" class="quiet" onClick={reconnectNow}>
          Try now
        </button>
      ) : null}
    </span>
  )
}
