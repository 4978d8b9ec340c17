/**
 * A part of the page with a heading.
 */
import { type Html, html, type Part } from "./Html.ts"

export const card = (id: string, heading: Part, ...body: ReadonlyArray<Part>): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    ${body}
  </section> `
