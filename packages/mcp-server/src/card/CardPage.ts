/**
 * The page of the card, as text: it has no build. It shows what the server gives it as text, and returns what the
 * person decides. The view's side of MCP Apps is written by hand: its library has 147 kB (gzip).
 */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Approval of SMS</title>
<style>
:root { color-scheme: light dark; font: 14px/1.5 var(--font-sans, system-ui, sans-serif);
  --text: var(--color-text-primary, light-dark(#1d1f1e, #eceeed)); --line: var(--color-border-primary, light-dark(#d4d9d6, #3b413f));
  color: var(--text); background: var(--color-background-primary, light-dark(#fff, #191c1b)) }
body { margin: 0; padding: 16px; overflow-wrap: anywhere }
h1 { font-size: 1.15em; line-height: 1.35; margin: 0 }
h1, p, li, pre { overflow: clip }
p { margin: 4px 0 12px; color: var(--color-text-secondary, light-dark(#5b625f, #a3aaa7)) }
p:empty, [hidden] { display: none !important }
#notice { color: var(--color-text-warning, light-dark(#855200, #f2be5c)) }
ul { list-style: none; margin: 0; padding: 0; display: grid; gap: 2px 8px; font-variant-numeric: tabular-nums;
  grid-template-columns: repeat(auto-fill, minmax(min(9em, 100%), 1fr)) }
pre { font: inherit; white-space: pre-wrap; unicode-bidi: plaintext; margin: 8px 0 16px; padding: 10px 12px;
  background: var(--color-background-secondary, light-dark(#f3f5f4, #262a29)); border: 1px solid var(--line); border-radius: 8px }
button { font: inherit; font-weight: 600; padding: 7px 16px; margin: 0 8px 8px 0; cursor: pointer; color: var(--text);
  background: transparent; border: 1px solid var(--line); border-radius: 8px }
#yes { color: light-dark(#fff, #06231b); background: light-dark(#0b6e5a, #58d1ae); border-color: transparent }
#end { color: var(--text); font-weight: 600; margin: 0 }
#more { margin-top: 8px }
#more ul { margin-bottom: 12px }
</style>
<main><p id="notice"></p><h1 id="asked">Waiting for the server</h1><p id="facts"></p><div id="texts"></div>
<div id="ask" hidden><button id="yes"></button><button id="no">Do not send</button></div>
<p id="until"></p><p id="end" role="status"></p><div id="more"></div></main>
<script type="module">
const at = (id) => document.getElementById(id)
const say = (id, text) => (at(id).textContent = text)
const made = (tag, textContent) => Object.assign(document.createElement(tag), { textContent, dir: "auto" })

const waiting = []
const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*")
const request = (method, params) => new Promise((resolve, reject) => {
  post({ id: waiting.push({ resolve, reject }) - 1, method, params })
})

const dress = ({ styles, theme }) => {
  const { style } = document.documentElement
  if (theme) style.colorScheme = theme
  for (const [name, value] of Object.entries(styles?.variables ?? {})) style.setProperty(name, value)
}

const timeOf = (iso) => {
  const time = new Date(iso)
  const day = time.toLocaleDateString("en-GB", { day: "numeric", month: "long" })
  return time.toLocaleTimeString([], { timeStyle: "short" }) + ", " + day
}

const listOf = (items) => {
  const list = document.createElement("ul")
  list.append(...items.map((each) => made("li", each)))
  return list
}

// These words are for a model.
const own = {
  approval_invalid: "This question is no longer valid: the server was started anew, or something changed. Ask the assistant again."
}
const kinds = [["not-sent", "not_sent", "Not sent:"], ["unknown", "unknown", "Unknown whether sent:"]]

const tell = (result) => {
  const { causes = [], code, failed = [], message = "Nothing is asked.", next } = result ?? {}
  say(card ? "end" : "asked", own[code] ?? message)
  const lists = kinds.flatMap(([outcome, count, title]) => {
    const which = failed.filter((each) => each.outcome === outcome).map(({ recipient }) => recipient)
    const others = (result?.[count] ?? 0) - which.length
    if (which.length === 0) return []
    return [made("b", title), listOf(others > 0 ? [...which, "and " + others + " more"] : which)]
  })
  const advice = code === undefined || code === "confirmation_declined" ? [] : [next ?? ""]
  const whys = causes.map(({ what }) => what)
  at("more").replaceChildren(...lists, ...[...whys, ...advice].map((each) => made("p", each)))
}

let card, timer
const close = (text) => {
  clearTimeout(timer)
  at("ask").hidden = true
  say("until", text)
}
const expire = () => close("This question has expired: this card sends nothing any more.")

const show = ({ _meta, structuredContent }) => {
  const asked = _meta?.["messaging-topup/approval"]
  close("")
  if (asked === undefined) return tell(structuredContent)
  card = { ...card, ...asked }
  for (const id of ["notice", "asked"]) say(id, card[id])
  // A name in letters from right to left moves nothing around it.
  at("facts").replaceChildren(...card.facts.flatMap((fact, i) => [i > 0 ? ", " : "", made("bdi", fact)]))
  at("texts").replaceChildren(...card.texts.flatMap(({ text, to }) => [listOf(to), made("pre", text)]))
  const count = card.texts.flatMap(({ to }) => to).length
  say("yes", count === 1 ? "Send" : "Send " + count + " SMS")
  at("until").replaceChildren("Only ", made("em", "Send"), " sends; expires at " + timeOf(card.expiresAt) + ".")
  say("end", "")
  at("more").replaceChildren()
  // A host shows a stored result again, as it was.
  const left = new Date(card.expiresAt) - Date.now()
  if (left <= 0) return expire()
  at("ask").hidden = false
  timer = setTimeout(expire, left)
}

const resultOf = (structuredContent) =>
  ({ content: [{ type: "text", text: structuredContent.message }], structuredContent })
const noResult = {
  accept: resultOf({
    message: "It is unknown whether the SMS was sent: the card got no result. Ask the assistant to make the same call, which says what became of it.",
    outcome: "unknown"
  }),
  decline: resultOf({ message: "This card sent nothing.", sent_by_this_call: false })
}
const decide = async (action) => {
  close("")
  say("end", action === "accept" ? "Sending …" : "")
  const args = { ...card.call, action, state: card.state }
  const result = await request("tools/call", { name: "decide_sms", arguments: args }).catch(() => noResult[action])
  show(result)
  const { content, structuredContent } = result
  await request("ui/update-model-context", { content, structuredContent }).catch(() => undefined)
}
at("yes").onclick = () => decide("accept")
at("no").onclick = () => decide("decline")

addEventListener("message", ({ data, source }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return
  const { error, id, method, params, result } = data
  if (method === undefined) error ? waiting[id]?.reject(error) : waiting[id]?.resolve(result)
  if (method === "ui/notifications/tool-result") show(params)
  if (method === "ui/notifications/host-context-changed") dress(params)
  if (method === "ui/resource-teardown") post({ id, result: {} })
})
const { hostContext } = await request("ui/initialize", {
  protocolVersion: "2026-01-26", appInfo: { name: "messaging-topup", version: "1" }, appCapabilities: {}
})
dress(hostContext ?? {})
post({ method: "ui/notifications/initialized" })
new ResizeObserver(() => {
  post({ method: "ui/notifications/size-changed", params: { height: document.documentElement.offsetHeight } })
}).observe(document.documentElement)
</script>
</html>
`
