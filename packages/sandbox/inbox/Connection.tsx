/** Shows whether the page receives events. */
import { type Connection, connection, reconnectNow } from "./Live.ts"

const labels: Record<Connection, string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  locked: "Locked"
}

export const ConnectionState = () => {
  const state = connection.value
  return (
    <span class="connection" data-state={state}>
      <span role="status">{labels[state]}</span>
      {state === "reconnecting" ? (
        <button type="button" class="quiet" onClick={reconnectNow}>
          Try now
        </button>
      ) : null}
    </span>
  )
}
