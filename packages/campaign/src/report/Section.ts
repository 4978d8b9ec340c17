/**
 * A section of the page, with its heading.
 */
import { type Html, html, type Part } from "./Html.ts"

export const section = (id: string, heading: Part, ...body: ReadonlyArray<Part>): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${body}
  </section> `
