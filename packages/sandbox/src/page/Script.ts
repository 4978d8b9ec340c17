/**
 * The script of the page, as text: it has no build. It shows times in the reader's zone, sends
 * forms as JSON, and reads the page again when something has changed.
 */
export const script = /* JavaScript */ `
const at = (selector, within = document) => within.querySelector(selector)
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const local = (within) => {
  for (const time of within.querySelectorAll("time")) {
    const date = new Date(time.dateTime)
    const isToday = date.toDateString() === new Date().toDateString()
    time.title = time.dateTime
    time.textContent = isToday ? date.toLocaleTimeString() : date.toLocaleString()
  }
}

/**
 * Replaces what has changed, and keeps the message that is shown, the focus, open details and what is being
 * written. If another message took the place of the one that is shown, a click could hit the wrong one.
 */
const refresh = async () => {
  const source = new URL(location.href)
  source.searchParams.set("shown", at("[data-shown]")?.dataset.shown ?? "")
  const response = await fetch(source, { cache: "no-store" })
  if (!response.ok) throw response
  const text = await response.text()
  // Without the head, whose style has a nonce that is not that of this page.
  document.title = /<title>([^<]*)/.exec(text)[1]
  const next = new DOMParser().parseFromString(text.slice(text.indexOf("<body")), "text/html")
  for (const part of next.querySelectorAll("[data-live]")) {
    const here = document.getElementById(part.id)
    const { activeElement: focused } = document
    const isInside = here?.contains(focused)
    if (here === null || (isInside && focused.value && focused.matches("input"))) continue
    local(part)
    for (const old of here.querySelectorAll("details")) {
      at("#" + old.id, part)?.toggleAttribute("open", old.open)
    }
    if (here.innerHTML === part.innerHTML) continue
    here.hidden = part.hidden
    here.replaceChildren(...part.childNodes)
    if (isInside && focused.id) document.getElementById(focused.id)?.focus({ preventScroll: true })
  }
  return next.body.dataset.version
}

/** What a form shows and has, as JSON. */
const bodyOf = ({ elements }, submitter) => {
  const given = [...elements].filter(
    (each) =>
      each.name !== "" &&
      each.value !== "" &&
      each.checkVisibility() &&
      (each.type !== "submit" || each === submitter) &&
      (each.type !== "checkbox" || each.checked)
  )
  const headersIn = (text) =>
    Object.fromEntries(
      text.split("\\n").filter((line) => line.trim() !== "").map((line) => {
        const [name, ...rest] = line.split(":")
        return [name.trim(), rest.join(":").trim()]
      })
    )
  const valueOf = (each) =>
    each.type === "number" ? each.valueAsNumber
    : each.type === "checkbox" ? true
    : each.name === "headers" ? headersIn(each.value)
    : each.value
  return JSON.stringify(Object.fromEntries(given.map((each) => [each.name, valueOf(each)])))
}

const problemOf = async (response) => {
  const text = await response.text()
  try {
    return response.status + ": " + JSON.parse(text).error.detail
  } catch {
    return response.status + ": " + text
  }
}

addEventListener("submit", async (event) => {
  const { submitter, target: form } = event
  const { confirm: question, method, next } = form.dataset
  if (method === undefined) return
  event.preventDefault()
  // A second click, before the response to the first one.
  if (form.ariaBusy === "true") return
  if (question !== undefined && !confirm(question)) return
  form.ariaBusy = "true"
  const sent =
    method === "DELETE"
      ? { method }
      : { method, body: bodyOf(form, submitter), headers: { "content-type": "application/json" } }
  const problem = await fetch(form.action, sent).then(
    (response) => (response.ok ? "" : problemOf(response)),
    () => "The sandbox does not respond"
  )
  at("[role=alert]", form).textContent = problem
  if (problem === "") {
    form.reset()
    form.closest("[popover]")?.hidePopover()
    // The page that is left stays busy.
    if (next !== undefined) return void (location.href = next)
  }
  form.ariaBusy = null
})

/** A page that is not of this machine, and has no TLS, has no clipboard. */
if (navigator.clipboard !== undefined) document.body.dataset.copies = ""

addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy]")
  if (button === null) return
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
  const label = button.textContent
  button.textContent = "Copied"
  await sleep(1500)
  button.textContent = label
})

local(document)

/** A click on a row loads the page again: the list stays where it was. */
const place = new URL(location.href)
place.searchParams.delete("id")
const scrolled = "scroll " + place.search
const pane = at("#pane")
if (pane !== null) {
  pane.scrollTop = Number(sessionStorage.getItem(scrolled))
  const id = sessionStorage.getItem("focus")
  if (id) document.getElementById(id)?.focus({ preventScroll: true })
  addEventListener("pagehide", () => {
    sessionStorage.setItem(scrolled, pane.scrollTop)
    sessionStorage.setItem("focus", document.activeElement?.id ?? "")
  })
}

const state = at("#state")
const show = (text, isLive) => {
  state.textContent = text
  state.toggleAttribute("data-live-now", isLive)
}
for (let version = document.body.dataset.version, failures = 0; ; ) {
  try {
    // A request for changes waits until there is one: so it does not say that the sandbox is back.
    if (failures > 0) version = await refresh()
    show("Live", true)
    const changed = await fetch("/_sandbox/changes?after=" + version, { cache: "no-store" })
    if (!changed.ok) throw changed
    version = await refresh()
    failures = 0
    await sleep(200)
  } catch {
    show("Connecting…", false)
    await sleep(Math.min(10_000, 250 * 2 ** failures++))
  }
}
`
