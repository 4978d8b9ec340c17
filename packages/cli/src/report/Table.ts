/** A table of a report. */
import { type Html, html, type Value } from "@messaging-topup/sandbox/internal"

interface Table {
  readonly name: string
  readonly caption: Value
  readonly heads: ReadonlyArray<string>
  /** The cells of each row, of which the first is its head. */
  readonly rows: ReadonlyArray<ReadonlyArray<Value>>
}

const rowOf = ([head, ...cells]: ReadonlyArray<Value>): Html =>
  html`<tr>
    <th scope="row">${head}</th>
    ${cells.map((cell) => html`<td>${cell}</td>`)}
  </tr>`

export const tableOf = ({ caption, heads, name, rows }: Table): Html =>
  html`<table data-table="${name}">
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(rowOf)}
    </tbody>
  </table>`
