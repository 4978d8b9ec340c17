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

/** A value of a request: it cannot change the direction of the text around it. */
export const value = (text: string): Html => html`<bdi>${text}</bdi>`

/** The browser shows it in its own time zone (`Client.ts`). */
export const time = (iso: string): Html =>
  html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`
