/** One request, with its outcome, and its body on demand. */
import { useSignal } from "@preact/signals"
import type { StoredRequest } from "../../src/record/Model.ts"
import { CopyButton } from "../components/CopyButton.tsx"
import { Icon } from "../components/Icon.tsx"
import { Time } from "../components/Time.tsx"
import { toMessage } from "../Route.ts"
import { Value } from "../messages/Value.tsx"
import { titleOf } from "../faults/Faults.ts"
import { forcedOutcomes } from "../ForcedOutcomes.ts"

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

/** Describes the fault or the forced outcome. For a forced outcome, only the suffix is recorded. */
const describeFault = (fault: string): string => {
  const forced = forcedOutcomes.find(({ suffix }) => suffix === fault)
  return forced === undefined ? titleOf(fault) : `${fault}: ${forced.response.replaceAll("`", "")}`
}

const Outcome = ({ request }: { request: StoredRequest }) => (
  <span class="outcome">
    {request.fault === undefined ? null : (
      <span class="fault-mark">
        <Icon name="bolt" /> <Value text={describeFault(request.fault)} />
      </span>
    )}
    {request.refusal === undefined ? null : (
      <span class="refusal">
        <Value text={request.refusal} />
      </span>
    )}
    {request.message_id === undefined ? null : <span class="hint">SMS accepted</span>}
    {request.disconnected ? <span class="hint">The client left early</span> : null}
  </span>
)

const Details = ({ request }: { request: StoredRequest }) => (
  <div class="request-details">
    {request.body === "" ? (
      <p class="hint">No body</p>
    ) : (
      <div class="command">
        <pre tabIndex={0} role="region" aria-label="Body">
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

export const RequestRow = ({ request }: { request: StoredRequest }) => {
  const isOpen = useSignal(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="request" data-row>
          <Time value={request.time} />
          <span class="method">{request.method}</span>
          <span class="path">
            <Value text={request.path} />
          </span>
          <span class="code" data-tone={toneOf(request.status)}>
            <span class="hidden">status </span>
            {request.status ?? "no response"}
          </span>
          <Outcome request={request} />
          <span class="duration">
            {request.milliseconds === undefined ? "" : `${request.milliseconds} ms`}
          </span>
        </summary>
        {isOpen.value ? <Details request={request} /> : null}
      </details>
    </li>
  )
}
