/** The requests to the five endpoints, newest first, each with its outcome, and its body on demand. */
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { StoredRequest } from "../src/record/Stored.ts"
import { clearRequests } from "./Api.ts"
import { CopyButton } from "./Command.tsx"
import { ClearButton } from "./Dialog.tsx"
import { describeRecorded } from "./FaultTexts.ts"
import { Icon } from "./Icon.tsx"
import { Pages } from "./Pager.tsx"
import { toMessage } from "./Route.ts"
import { requests } from "./Store.ts"
import { Time, Value } from "./Text.tsx"

const toneOf = (status: number | undefined): string => {
  if (status === undefined) return "none"
  if (status < 300) return "done"
  return status < 400 ? "moving" : "failed"
}

/** Indents JSON. Returns other bodies unchanged. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

const Outcome = ({ request }: { request: StoredRequest }) => (
  <span class="outcome line wrap">
    {request.fault === undefined ? null : (
      <span class="tinted" data-tone="waiting">
        <Icon name="bolt" /> <Value text={describeRecorded(request.fault)} />
      </span>
    )}
    {request.refusal === undefined ? null : <Value text={request.refusal} />}
    {request.message_id === undefined ? null : <span class="hint">SMS accepted</span>}
    {request.disconnected ? <span class="hint">The client left early</span> : null}
  </span>
)

const Details = ({ request }: { request: StoredRequest }) => (
  <div class="request-details stack">
    {request.body === "" ? (
      <p class="hint">No body</p>
    ) : (
      <div class="command line card">
        <pre class="grow" tabIndex={0} role="region" aria-label="Body">
          <code dir="auto">{readable(request.body)}</code>
        </pre>
        <CopyButton text={request.body} what="body" />
      </div>
    )}
    {request.message_id === undefined ? null : (
      <p>
        Accepted as <a href={toMessage(request.message_id)}>{request.message_id}</a>
      </p>
    )}
  </div>
)

const RequestRow = ({ request }: { request: StoredRequest }) => {
  const isOpen = useSignal(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="request" data-row>
          <Time value={request.time} />
          <span class="mono strong">{request.method}</span>
          <span class="mono">
            <Value text={request.path} />
          </span>
          <span class="pill toned" data-tone={toneOf(request.status)}>
            <span class="hidden">status </span>
            {request.status ?? "no response"}
          </span>
          <Outcome request={request} />
          <span class="duration hint">
            {request.milliseconds === undefined ? "" : `${request.milliseconds} ms`}
          </span>
        </summary>
        {isOpen.value ? <Details request={request} /> : null}
      </details>
    </li>
  )
}

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
      <div class="scroller" ref={scroller}>
        <div class="wide stack">
          <div class="line spread">
            <h2>Requests</h2>
            <ClearButton
              what="requests"
              kept={page?.kept ?? 0}
              consequence="The messages that were accepted stay."
              clear={clear}
            />
          </div>
          <p class="lead soft">
            Every request to the five endpoints, with the reason if it was refused. Requests of the
            inbox are not included.
          </p>
          {page === undefined ? <p class="empty soft">Loading…</p> : null}
          {page?.items.length === 0 ? <p class="empty soft">No requests yet.</p> : null}
          {page === undefined || page.items.length === 0 ? null : (
            <ul class="cards card">
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
