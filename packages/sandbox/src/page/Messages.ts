/** The accepted SMS, newest first, beside the selected one. */
import type { Engine } from "../Engine.ts"
import { statuses } from "../record/Messages.ts"
import type { StoredMessage } from "../Types.ts"
import { describeRecorded } from "./FaultText.ts"
import { type Html, html, time, value, when } from "./Html.ts"
import { firstMessage } from "./Send.ts"
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
    () => html`<span class="fault">${describeRecorded(message)}</span>`
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
        <span>
          <strong>${value(message.recipient)}</strong>
          <span class="hint">${value(message.sender_id ?? "")}</span>
        </span>
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
  <form class="search line" role="search" action="/">
    <input
      type="search"
      name="text"
      aria-label="Search in text"
      placeholder="Search"
      value="${view.text}"
    />
    <input
      type="search"
      name="recipient"
      aria-label="Search in recipient"
      placeholder="Recipient"
      value="${view.recipient}"
    />
    <button>Search</button>
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

const reason = (character: string): Html => {
  const codePoint = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
  return html`<span class="pill">${value(character)} U+${codePoint}</span> `
}

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
  const action = `/_sandbox/messages/${encodeURIComponent(message_id)}/status`
  const isKnown = statuses.some((each) => each === current)
  return html`
    <section class="stack" aria-label="Status">
      <h3>Status</h3>
      ${when(!isKnown, () => html`<p>${status(current)}</p>`)}
      <form class="line wrap" method="dialog" data-method="POST" action="${action}">
        ${statuses.map(
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
        )}
      </form>
      <form class="line" method="dialog" data-method="POST" action="${action}">
        <label class="line hint">
          Other status <input id="other-status" name="status" autocomplete="off" required />
        </label>
        <button>Set</button>
      </form>
      <p class="hint">The service does not document its statuses. These are made up.</p>
    </section>
  `
}

const detail = (message: StoredMessage): Html => html`
  <a class="back" href="/">Messages</a>
  <header>
    <p class="hint">SMS to</p>
    <h2>${value(message.recipient)}</h2>
  </header>
  ${faultOf(message)}
  <div class="card">
    <p class="padded">
      <span class="hint">From</span> <strong>${value(message.sender_id ?? "no sender id")}</strong>
    </p>
    <div class="screen padded"><p class="bubble" dir="auto">${message.message}</p></div>
  </div>
  ${preview(message)} ${statusForms(message)}
  <section class="stack" aria-label="As stored">
    <h3>As stored</h3>
    <dl class="fields cards card">
      ${field("Message id", value(message.message_id))}
      ${field("Accepted", time(message.date_created))}
      ${optional("Scheduled time", message.scheduled_time, "The sandbox does not wait for it.")}
      ${optional("Webhook", message.webhook_url, "The sandbox never calls it.")}
    </dl>
  </section>
`

const missing = html`
  <h2>This message is gone</h2>
  <p>The sandbox no longer has it.</p>
  <a href="/">Back to the messages</a>
`

const nothing = ({ recipient, text }: View, baseUrl: string): Html =>
  text === "" && recipient === ""
    ? firstMessage(baseUrl)
    : html`<p class="empty">No message matches the search. <a href="/">Show all</a></p>`

/** The newest message is shown if none is selected. */
export const messages = (view: View, { messages: kept }: Engine, baseUrl: string): Html => {
  const { messages: listed, next } = kept.page({ ...view, before: beforeOf(view) })
  const shown = view.id === "" ? listed[0] : kept.get(view.id)
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
        </div>
      </section>
      <section
        class="pane detail stack"
        id="detail"
        data-live
        aria-label="Message"
        ${when(!hasDetail, () => html`hidden`)}
      >
        ${shown === undefined ? when(view.id !== "", () => missing) : detail(shown)}
      </section>
    </div>
  `
}
