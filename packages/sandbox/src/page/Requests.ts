/** The requests to the five endpoints, newest first, each with its outcome, and its body on demand. */
import type { Engine } from "../Engine.ts"
import type { StoredRequest } from "../Types.ts"
import { describeRecorded } from "./FaultText.ts"
import { type Html, html, time, value, when } from "./Html.ts"
import { pages } from "./Messages.ts"
import { beforeOf, linkTo, type View } from "./View.ts"

/** Indents JSON. Returns other bodies unchanged. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2)
  } catch {
    return body
  }
}

const row = (request: StoredRequest): Html => html`
  <li>
    <details id="request-${request.id}">
      <summary class="request">
        <span class="hint">${time(request.time)}</span>
        <code>${request.method} ${value(request.path)}</code>
        <span class="pill" data-tone="${(request.status ?? 400) < 400 ? "done" : "failed"}">
          <span class="hidden">status </span>${request.status ?? "no response"}
        </span>
        <span class="hint">
          ${request.milliseconds === undefined ? "" : `${request.milliseconds} ms`}
        </span>
        <span class="outcome line wrap">
          ${when(
            request.fault !== undefined,
            () => html`<span class="fault">${describeRecorded(request)}</span>`
          )}
          ${when(request.refusal !== undefined, () => value(request.refusal ?? ""))}
          ${when(request.message_id !== undefined, () => html`<span class="hint">SMS accepted</span>`)}
          ${when(request.disconnected, () => html`<span class="hint">The client left early</span>`)}
        </span>
      </summary>
      <div class="stack padded">
        ${
          request.body === ""
            ? html`<p class="hint">No body</p>`
            : html`<pre
                class="card padded"
                tabindex="0"
                role="region"
                aria-label="Body"
              ><code dir="auto">${readable(request.body)}</code></pre>`
        }
        ${when(
          request.message_id !== undefined,
          () => html`
            <p>
              Accepted as
              <a href="${linkTo({ id: request.message_id ?? "" })}">${request.message_id}</a>
            </p>
          `
        )}
      </div>
    </details>
  </li>
`

export const requests = (view: View, engine: Engine): Html => {
  const { next, requests: listed } = engine.requests.page({ before: beforeOf(view) })
  return html`
    <section class="pane wide stack" id="requests" data-live aria-label="Requests">
      <h2>Requests</h2>
      <p class="hint">
        Every request to the five endpoints, with the reason if it was refused. Those of this page
        are not included.
      </p>
      ${
        listed.length === 0
          ? html`<p class="empty">No requests yet.</p>`
          : html`<ul class="cards card">
              ${listed.map(row)}
            </ul>`
      }
      ${pages(view, next)}
    </section>
  `
}
