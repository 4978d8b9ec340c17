/** The accepted SMS, newest first, beside the selected one. */
import { codePoint } from "@messaging-topup/core/internal"
import type { Engine } from "../Engine.ts"
import { having, statuses } from "../kept/Messages.ts"
import { isCallable } from "../kept/Webhooks.ts"
import type { StoredMessage } from "../Types.ts"
import { describeFaulted } from "./Fault.ts"
import { type Html, html, when } from "../Html.ts"
import { command, firstMessage, needed } from "./Curl.ts"
import { action, copy, number, time, value } from "./Parts.ts"
import { beforeOf, linkTo, type View } from "./View.ts"

/** Two lines cannot show more. */
const excerptLength = 200

const maxCharacters = 16

const status = (text: string): Html => html`<bdi class="status" data-status="${text}">${text}</bdi>`

const segments = ({ segments: count }: StoredMessage["preview"]): string =>
  count === 1 ? "1 segment" : `${count} segments`

const faultOf = (message: StoredMessage): Html | undefined =>
  when(
    message.fault !== undefined,
    () => html`<span class="fault">${describeFaulted(message)}</span>`
  )

const row = (message: StoredMessage, view: View, isShown: boolean): Html => html`
  <li>
    <a
      class="row"
      id="row-${message.message_id}"
      href="${linkTo({ ...view, id: message.message_id })}"
      ${when(isShown, () => html`aria-current="true"`)}
    >
      <span class="line spread">
        <span class="parties"
          ><span>
            <strong>${value(message.recipient)}</strong>
            <span class="hint">${value(message.sender_id ?? "")}</span>
          </span></span
        >
        <span class="hint">${time(message.date_created)}</span>
      </span>
      <span class="excerpt" dir="auto">${message.message.slice(0, excerptLength)}</span>
      ${faultOf(message)}
      <span class="line spread">
        ${status(message.status)}
        <span class="hint">
          ${message.scheduled_time === undefined ? "" : "scheduled ·"} ${message.preview.encoding}
          &middot; ${segments(message.preview)}
        </span>
      </span>
    </a>
  </li>
`

const search = (view: View): Html => html`
  <form class="search" role="search" action="/">
    <input
      type="search"
      name="search"
      aria-label="Search"
      placeholder="Search in text and recipient"
      value="${view.search}"
    />
  </form>
`

/** Links to the other pages of a list. */
export const pages = (view: View, next: string | undefined): Html => html`
  <nav class="pages line" aria-label="Pages">
    ${when(view.before !== "", () => html`<a href="${linkTo({ ...view, id: "", before: "" })}">Newest</a>`)}
    ${when(next !== undefined, () => html`<a href="${linkTo({ ...view, id: "", before: next ?? "" })}">Older</a>`)}
  </nav>
`

const field = (name: string, content: Html): Html => html`
  <div>
    <dt>${name}</dt>
    <dd>${content}</dd>
  </div>
`

const optional = (name: string, text: string | undefined, hint: string): Html | undefined =>
  text === undefined
    ? undefined
    : field(name, html`${value(text)} <span class="hint">${hint}</span>`)

const reason = (character: string): Html =>
  html`<span class="pill"><bdi>${character}</bdi> ${codePoint(character)}</span> `

const preview = ({ preview: text }: StoredMessage): Html => html`
  <dl class="card padded figures line wrap">
    ${field("Encoding", html`${text.encoding}`)} ${field("Split into", html`${segments(text)}`)}
    ${field("Remaining characters", html`${text.remaining}`)}
    ${when(text.ucs2Characters.length > 0, () =>
      field("UCS-2 because of", html`${text.ucs2Characters.slice(0, maxCharacters).map(reason)}`)
    )}
  </dl>
`

const statusForms = ({ message_id, status: current }: StoredMessage): Html => {
  const path = `/_sandbox/messages/${encodeURIComponent(message_id)}/status`
  const isKnown = statuses.some((each) => each === current)
  return html`
    <section class="stack" aria-label="Status">
      <h3>Status</h3>
      ${when(!isKnown, () => html`<p>${status(current)}</p>`)}
      ${action(
        { method: "POST", path, class: "line wrap" },
        html`${statuses.map(
          (each) => html`
            <button
              id="set-${each}"
              name="status"
              value="${each}"
              aria-pressed="${String(each === current)}"
            >
              ${status(each)}
            </button>
          `
        )}`
      )}
      ${action(
        { method: "POST", path, class: "line wrap" },
        html`
          <label class="line hint">
            Other status <input id="other-status" name="status" autocomplete="off" required />
          </label>
          <button>Set</button>
        `
      )}
      <p class="hint">The service does not document its statuses. These are made up.</p>
    </section>
  `
}

/** The request that sent a message, open and first on its page, if it is still kept. */
const requestOf = ({ message_id }: StoredMessage, { requests }: Engine): Html | undefined => {
  const request = requests.all().find((each) => each.message_id === message_id)
  if (request === undefined) return undefined
  const href = linkTo({ name: "requests", before: `${request.id + 1}`, id: `${request.id}` })
  return field("Request", html`<a href="${href}">${request.method} ${value(request.path)}</a>`)
}

const webhookHint = (
  { webhook_url: url = "" }: StoredMessage,
  { callsWebhooks }: Engine
): string => {
  if (!callsWebhooks) return "The sandbox does not call it."
  return isCallable(url) ? "Called when the status changes." : "Not called: not on this machine."
}

const detail = (message: StoredMessage, view: View, engine: Engine, baseUrl: string): Html => html`
  <a class="back" href="${linkTo({ ...view, id: "" })}">&lsaquo; Back</a>
  <header class="line spread wrap" data-shown="${message.message_id}">
    <div>
      <p class="hint">SMS to</p>
      <h2>${value(message.recipient)}</h2>
    </div>
    <div class="line">
      ${copy("sms-text", "Copy text")} ${copy("sms-curl", "Copy as curl", needed)}
    </div>
  </header>
  ${faultOf(message)}
  <div class="card">
    <p class="padded">
      <span class="hint">From</span> <strong>${value(message.sender_id ?? "no sender id")}</strong>
    </p>
    <div class="screen padded">
      <p class="bubble" id="sms-text" dir="auto">${message.message}</p>
    </div>
    <code id="sms-curl" hidden>${command(baseUrl, message)}</code>
  </div>
  ${preview(message)} ${statusForms(message)}
  <section class="stack" aria-label="As stored">
    <h3>As stored</h3>
    <dl class="fields cards card">
      ${field(
        "Message id",
        html`<code id="sms-id">${message.message_id}</code> ${copy("sms-id", "Copy")}`
      )}
      ${field("Accepted", time(message.date_created))} ${requestOf(message, engine)}
      ${optional("Scheduled time", message.scheduled_time, "The sandbox does not wait for it.")}
      ${optional("Webhook", message.webhook_url, webhookHint(message, engine))}
    </dl>
  </section>
`

const missing = html`
  <h2>This message is gone</h2>
  <p>The sandbox no longer has it.</p>
  <a href="/">Back to the messages</a>
`

const nothing = ({ search: given }: View, baseUrl: string): Html =>
  given === ""
    ? firstMessage(baseUrl)
    : html`<p class="empty">No message matches the search. <a href="/">Show all</a></p>`

/** If none is selected, the message that the page already shows stays; at first, the newest is shown. */
export const messages = (view: View, engine: Engine, baseUrl: string, shownId: string): Html => {
  const { messages: kept } = engine
  const query = { before: beforeOf(view) }
  const { accepted, kept: count, messages: listed, next } = kept.page(query, having(view.search))
  const shown = view.id === "" ? (kept.get(shownId) ?? listed[0]) : kept.get(view.id)
  const hasDetail = shown !== undefined || view.id !== ""
  return html`
    <div class="split" data-open="${String(view.id !== "")}">
      <section class="pane" id="pane" aria-label="Messages">
        ${search(view)}
        <div id="list" data-live>
          ${when(listed.length === 0, () => nothing(view, baseUrl))}
          <ul>
            ${listed.map((each) => row(each, view, each === shown))}
          </ul>
          ${pages(view, next)}
          ${when(
            next === undefined && count < accepted,
            () => html`<p class="hint pages">The sandbox keeps the newest ${number(count)}.</p>`
          )}
        </div>
      </section>
      <section
        class="pane detail stack"
        id="detail"
        data-live
        aria-label="Message"
        ${when(!hasDetail, () => html`hidden`)}
      >
        ${
          shown === undefined
            ? when(view.id !== "", () => missing)
            : detail(shown, view, engine, baseUrl)
        }
      </section>
    </div>
  `
}
