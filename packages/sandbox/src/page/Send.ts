/** A form that sends an SMS as a client does, a command to copy, and the forced outcomes. */
import type { SendSmsRequest } from "@messaging-topup/core"
import { forcedOutcomes } from "../service/Outcomes.ts"
import { action, copy, type Html, html } from "../http/Html.ts"

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command that sends an SMS. The token is not on the page: the start of the sandbox prints it. */
export const command = (baseUrl: string, sms: SendSmsRequest): string => {
  const { message, recipient, scheduled_time, sender_id, webhook_url } = sms
  const body = { recipient, message, sender_id, webhook_url, scheduled_time }
  return [
    `curl ${baseUrl}/sms/send`,
    `-H "Authorization: Bearer $MESSAGING_TOPUP_TOKEN"`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`
  ].join(" \\\n  ")
}

const hello = { recipient: "+15551234567", message: "Hello from the sandbox" }

const example = (baseUrl: string): Html => html`
  <div class="stack">
    <pre
      class="card padded"
      tabindex="0"
      role="region"
      aria-label="Command"
    ><code id="curl">${command(baseUrl, hello)}</code></pre>
    ${copy("curl", "Copy")}
  </div>
`

export const firstMessage = (baseUrl: string): Html => html`
  <div class="empty stack">
    <h2>No messages yet</h2>
    <p>
      An SMS that the sandbox accepts shows up here at once. <a href="/?view=send">Send one</a> from
      this page, or with curl:
    </p>
    ${example(baseUrl)}
  </div>
`

export const send = (baseUrl: string): Html => html`
  <section class="pane wide stack" aria-label="Send">
    <h2>Send an SMS</h2>
    <p class="hint">Nothing leaves the sandbox.</p>
    ${action(
      { method: "POST", path: "/_sandbox/send", class: "stack card padded", next: "/" },
      html`
        <label class="field">
          Recipient
          <input name="recipient" value="${hello.recipient}" autocomplete="off" required />
        </label>
        <label class="field">
          Message <textarea name="message" rows="3" required>${hello.message}</textarea>
        </label>
        <label class="field">
          Sender id (optional) <input name="sender_id" autocomplete="off" />
        </label>
        <button class="primary">Send</button>
      `
    )}
    <h2>The same with curl</h2>
    ${example(baseUrl)}
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
