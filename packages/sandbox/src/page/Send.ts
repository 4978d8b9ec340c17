/** A form that sends an SMS as a client does, a command to copy, and the forced outcomes. */
import { forcedOutcomes } from "../service/Outcomes.ts"
import { type Html, html } from "./Html.ts"

/** A command to copy. The token is not on the page: the start of the sandbox prints it. */
const command = (baseUrl: string): Html => {
  const line = [
    `curl ${baseUrl}/sms/send`,
    `-H "Authorization: Bearer $MESSAGING_TOPUP_TOKEN"`,
    "-H 'Content-Type: application/json'",
    `-d '{"recipient":"+15551234567","message":"Hello from the sandbox"}'`
  ].join(" \\\n  ")
  return html`<pre
    class="card padded"
    tabindex="0"
    role="region"
    aria-label="Command"
  ><code>${line}</code></pre>`
}

export const firstMessage = (baseUrl: string): Html => html`
  <div class="empty stack">
    <h2>No messages yet</h2>
    <p>
      An SMS that the sandbox accepts shows up here at once. <a href="/?view=send">Send one</a> from
      this page, or with curl:
    </p>
    ${command(baseUrl)}
  </div>
`

export const send = (baseUrl: string): Html => html`
  <section class="pane wide stack" aria-label="Send">
    <h2>Send an SMS</h2>
    <p class="hint">Nothing leaves the sandbox.</p>
    <form
      class="stack card padded"
      method="dialog"
      data-method="POST"
      data-next="/"
      action="/_sandbox/send"
    >
      <label class="field">
        Recipient <input name="recipient" value="+15551234567" autocomplete="off" required />
      </label>
      <label class="field">
        Message <textarea name="message" rows="3" required>Hello from the sandbox</textarea>
      </label>
      <label class="field">
        Sender id (optional) <input name="sender_id" autocomplete="off" />
      </label>
      <button class="primary">Send</button>
    </form>
    <h2>The same with curl</h2>
    ${command(baseUrl)}
    <h2>Forced outcomes</h2>
    <p class="hint">
      The last digits of a number that starts with +1555 decide; any other recipient is accepted.
      For reads, the end of the message id or the reference code decides.
    </p>
    <ul class="cards card">
      ${forcedOutcomes.map(
        ({ accepted, response, suffix }) => html`
          <li class="outcome-row">
            <code>+1555000<strong>${suffix}</strong></code>
            <span>${response.replaceAll("`", "")}</span>
            <span class="hint">${accepted ? "SMS accepted" : "not accepted"}</span>
          </li>
        `
      )}
    </ul>
  </section>
`
