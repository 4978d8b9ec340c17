/** The current fault, and the form that sets one. */
import type { SandboxFault } from "../Types.ts"
import { describeFault, titles } from "./FaultText.ts"
import { type Html, html } from "./Html.ts"

const current = (fault: SandboxFault): Html => html`
  <section class="fault-bar line spread" aria-label="Current fault">
    <p><strong>Fault set</strong> ${describeFault(fault)}</p>
    <form method="dialog" data-method="DELETE" action="/_sandbox/fault">
      <button>Clear fault</button>
    </form>
  </section>
`

export const faultBar = (fault: SandboxFault | undefined): Html => html`
  <div id="fault" data-live>${fault === undefined ? undefined : current(fault)}</div>
`

/** The style sheet shows the fields of the chosen kind. The script sends only what is shown. */
export const faultForm = html`
  <details class="menu" id="set-fault">
    <summary class="button">Set fault</summary>
    <form class="stack card padded" method="dialog" data-method="PUT" action="/_sandbox/fault">
      <label class="field">
        What goes wrong
        <select name="fault">
          ${Object.entries(titles).map(
            ([name, title]) => html`<option value="${name}">${title}</option>`
          )}
        </select>
      </label>
      <label class="field for-response">
        Status <input name="status" type="number" min="200" max="599" value="503" required />
      </label>
      <label class="field for-response"> Body <textarea name="body" rows="3"></textarea></label>
      <label class="field for-slow">
        Seconds <input name="seconds" type="number" min="1" max="3600" value="5" required />
      </label>
      <label class="line for-no-response">
        <input name="accept" type="checkbox" /> Accept the SMS first
      </label>
      <label class="field">
        For how many requests (empty: until it is cleared)
        <input name="times" type="number" min="1" value="1" />
      </label>
      <button class="primary">Set fault</button>
    </form>
  </details>
`
