/** HTML as text. Every value is escaped, unless it is HTML itself. */
import * as Data from "effect/Data"

export class Html extends Data.Class<{ readonly text: string }> {}

type Value = Html | string | number | undefined | ReadonlyArray<Html>

const entities = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"]
])

const isList = (value: Value): value is ReadonlyArray<Html> => Array.isArray(value)

const written = (value: Value): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.text
  if (isList(value)) return value.map(written).join("")
  return String(value).replace(/[&<>"']/g, (character) => entities.get(character) ?? "")
}

export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html({ text: String.raw({ raw: strings }, ...values.map(written)) })

export const when = (condition: boolean, shown: () => Html): Html | undefined =>
  condition ? shown() : undefined

/** Other blanks than a space, and characters that show nothing: they can make one number look like another. */
const invisible = /([\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs})/u

/** `U+202E`. */
export const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** A value of a request: it hides no character, and cannot change the direction of the text around it. */
export const value = (text: string): Html =>
  html`<bdi
    >${text
      .split(invisible)
      .map((part, index) =>
        index % 2 === 0 ? html`${part}` : html`<span class="pill">${codeOf(part)}</span>`
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
export const copy = (id: string, label: string): Html =>
  html`<button type="button" class="copy" data-copy="${id}">${label}</button>`
