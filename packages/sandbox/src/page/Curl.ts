/** A command that sends an SMS, to copy: of a message, or the first one. */
import { Schemas, type SendSmsRequest } from "@messaging-topup/core"
import * as Struct from "effect/Struct"
import { type Html, html } from "../Html.ts"
import { copy } from "./Parts.ts"

/** Said beside a command to copy, which has the token from a variable. */
export const needed =
  "In another terminal, first export MESSAGING_TOPUP_TOKEN: the token that the sandbox printed."

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command that sends an SMS. The token is not on the page: the start of the sandbox prints it. */
export const command = (baseUrl: string, sms: SendSmsRequest): string => {
  const body = Struct.pick(sms, Struct.keys(Schemas.SendSmsRequest.fields))
  return [
    `curl ${baseUrl}/sms/send`,
    `-H "Authorization: Bearer $MESSAGING_TOPUP_TOKEN"`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`
  ].join(" \\\n  ")
}

const hello = { recipient: "+15551234567", message: "Hello from the sandbox" }

export const firstMessage = (baseUrl: string): Html => html`
  <div class="empty stack">
    <h2>No messages yet</h2>
    <p>An SMS that the sandbox accepts shows up here at once. ${needed}</p>
    <pre
      class="card padded"
      tabindex="0"
      role="region"
      aria-label="Command"
    ><code id="curl">${command(baseUrl, hello)}</code></pre>
    ${copy("curl", "Copy")}
  </div>
`
