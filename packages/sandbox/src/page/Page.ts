/**
 * The inbox: a page that this process renders, and that reads itself again when something has
 * changed. It can be read, searched and paged without its script.
 */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Engine } from "../Engine.ts"
import { script } from "./Script.ts"
import { faultBar, faultForm, faultStyle } from "./Fault.ts"
import { Html, html } from "../Html.ts"
import { messages } from "./Inbox.ts"
import { action, number } from "./Parts.ts"
import { requests } from "./RequestLog.ts"
import { style } from "./Style.ts"
import { linkTo, type View, viewOf } from "./View.ts"
import { viewStyle } from "./ViewStyle.ts"

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath fill='%230e7c66' d='M8 4h16a6 6 0 0 1 6 6v8a6 6 0 0 1-6 6H14l-7 5v-5.1A6 6 0 0 1 2 18v-8a6 6 0 0 1 6-6Z'/%3E%3Cpath stroke='%23fff' stroke-width='3' stroke-linecap='round' d='M9 11.5h14M9 17h8'/%3E%3C/svg%3E"

const tab = (view: View, name: View["name"], text: string, count: number): Html => html`
  <a href="${linkTo({ name })}" aria-current="${view.name === name ? "page" : "false"}">
    ${text} ${count === 0 ? undefined : html`<span class="pill">${number(count)}</span>`}
  </a>
`

const document = (view: View, engine: Engine, nonce: string, main: Html): Html => {
  const count = engine.messages.counts().total
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${count === 0 ? "" : `(${number(count)}) `}Sandbox inbox</title>
        <link rel="icon" href="${icon}" />
        <style nonce="${nonce}">
          ${new Html({ text: style + viewStyle + faultStyle })}
        </style>
      </head>
      <body data-version="${engine.changes.version}">
        <header class="top line">
          <h1>Sandbox inbox</h1>
          <nav class="tabs line" id="views" aria-label="Views" data-live>
            ${tab(view, "messages", "Messages", count)}
            ${tab(view, "requests", "Requests", engine.requests.counts().total)}
          </nav>
          <div class="tools line">
            <span id="state" role="status">Not live</span>
            ${faultForm}
            ${action(
              {
                method: "DELETE",
                path: "/_sandbox",
                class: "line",
                next: "/",
                confirm: "Delete all messages and requests, and clear the fault?"
              },
              html`<button>Clear all</button>`
            )}
          </div>
        </header>
        <noscript>
          <p class="notice">
            Without JavaScript you can read and search, but the page does not renew itself, and only
            curl sets and clears.
          </p>
        </noscript>
        ${faultBar(engine.faults.current)}
        <main>${main}</main>
        <script type="module" nonce="${nonce}">
          ${new Html({ text: script })}
        </script>
      </body>
    </html>`
}

/** `host` is the name by which the browser reaches the sandbox. */
export const response = (engine: Engine, url: string, host: string) =>
  Effect.sync(() => {
    const nonce = crypto.randomUUID()
    const query = new URL(url, "http://localhost").searchParams
    const view = viewOf(query)
    const main =
      view.name === "requests"
        ? requests(view, engine)
        : messages(view, engine, `http://${host}`, query.get("shown") ?? "")
    return HttpServerResponse.text(document(view, engine, nonce, main).text, {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store"
      }
    })
  })
