/** The requests to the five endpoints, newest first, each with its response, and its body on demand. */
import { Schemas } from "@messaging-topup/core"
import * as Predicate from "effect/Predicate"
import type { Engine } from "../Engine.ts"
import type { StoredRequest } from "../Types.ts"
import { describeFaulted } from "./Fault.ts"
import { type Html, html, when } from "../Html.ts"
import { pages } from "./Inbox.ts"
import { time, value } from "./Parts.ts"
import { beforeOf, linkTo, type View } from "./View.ts"

/** The fields of a body that is a JSON object. */
const fieldsOf = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const parsed: unknown = JSON.parse(body)
    return Predicate.isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

const known: ReadonlySet<string> = new Set(Object.keys(Schemas.SendSmsRequest.fields))

/** Fields that the service does not describe: it may ignore them, as this sandbox does. */
const unknownFields = (fields: object): Html | undefined => {
  const names = Object.keys(fields).filter((name) => !known.has(name))
  return when(
    names.length > 0,
    () => html`<span class="warning">Unknown field ${value(names.slice(0, 5).join(", "))}</span>`
  )
}

const row = (request: StoredRequest, view: View): Html => {
  const fields = fieldsOf(request.body)
  const recipient = fields?.["recipient"]
  return html`
    <li>
      <details id="request-${request.id}" ${when(view.id === String(request.id), () => html`open`)}>
        <summary class="request">
          <span class="hint">${time(request.time)}</span>
          <span>
            <code>${request.method} ${value(request.path)}</code>
            ${when(
              typeof recipient === "string",
              () =>
                html`<span class="parties"
                  ><span>to <strong>${value(String(recipient))}</strong></span></span
                >`
            )}
          </span>
          <span class="pill" data-tone="${(request.status ?? 400) < 400 ? "done" : "failed"}">
            <span class="hidden">status </span>${request.status ?? "no response"}
          </span>
          <span class="hint">
            ${request.milliseconds === undefined ? "" : `${request.milliseconds} ms`}
          </span>
          <span class="outcome line wrap">
            ${when(
              request.fault !== undefined,
              () => html`<span class="fault">${describeFaulted(request)}</span>`
            )}
            ${when(request.refusal !== undefined, () => value(request.refusal ?? ""))}
            ${when(request.message_id !== undefined, () => html`<span class="hint">SMS accepted</span>`)}
            ${fields === undefined ? undefined : unknownFields(fields)}
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
                ><code dir="auto">${
                  fields === undefined ? request.body : JSON.stringify(fields, undefined, 2)
                }</code></pre>`
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
}

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
              ${listed.map((each) => row(each, view))}
            </ul>`
      }
      ${pages(view, next)}
    </section>
  `
}
