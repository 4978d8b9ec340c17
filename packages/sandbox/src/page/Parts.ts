/** What several views of the page have. */
import { codePoint } from "@messaging-topup/core/internal"
import { type Html, html, partsOf } from "../Html.ts"

/** A value of a request: it hides no character, and cannot change the direction of the text around it. */
export const value = (text: string): Html =>
  html`<bdi
    >${partsOf(text).map((part, index) =>
      index % 2 === 0 ? html`${part}` : html`<span class="pill">${codePoint(part)}</span>`
    )}</bdi
  >`

/** `10,000`. */
export const number = (count: number): string => count.toLocaleString("en")

/** The browser shows it in its own time zone (`Client.ts`). */
export const time = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`

interface Action {
  readonly method: "DELETE" | "POST" | "PUT"
  readonly path: string
  readonly class: string
  /** What is asked first. */
  readonly confirm?: string
  /** Where it leads. */
  readonly next?: string
}

/** A form whose visible fields the script sends as JSON. What is wrong with them stands in it. */
export const action = (
  { class: names, confirm, method, next, path }: Action,
  content: Html
): Html => html`
  <form
    class="${names}"
    method="dialog"
    data-method="${method}"
    action="${path}"
    ${next === undefined ? "" : html`data-next="${next}"`}
    ${confirm === undefined ? "" : html`data-confirm="${confirm}"`}
  >
    ${content}
    <p class="problem" role="alert"></p>
  </form>
`

/** A button that copies the text of the element with this id. The style sheet hides it without the script. */
export const copy = (id: string, label: string, title?: string): Html =>
  html`<button
    type="button"
    class="copy"
    data-copy="${id}"
    ${title === undefined ? "" : html`title="${title}"`}
  >
    ${label}
  </button>`
