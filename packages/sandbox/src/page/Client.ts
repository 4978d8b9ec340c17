/**
 * The script of the page, as text: it has no build. It shows times in the reader's zone, sends
 * forms as JSON, and reads the page again when something has changed.
 */
export const client = /* JavaScript */ `
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

/** Replaces what has changed, and keeps the focus, open details and what is being written. */
const refresh = async () => {
  const response = await fetch(location.href, { cache: "no-store" })
  if (!response.ok) throw response
  const text = await response.text()
  // Without the head, whose style has a nonce that is not that of this page.
  const next = new DOMParser().parseFromString(text.slice(text.indexOf("<body")), "text/html")
  for (const part of next.querySelectorAll("[data-live]")) {
    const here = document.getElementById(part.id)
    const { activeElement: focused } = document
    const isInside = here?.contains(focused)
    if (here === null || (isInside && focused.value && focused.matches("input"))) continue
    local(part)
    for (const open of here.querySelectorAll("details[open]")) {
      at("#" + open.id, part)?.setAttribute("open", "")
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
  const valueOf = (each) =>
    each.type === "number" ? each.valueAsNumber : each.type === "checkbox" ? true : each.value
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
  if (question !== undefined && !confirm(question)) return
  const sent =
    method === "DELETE"
      ? { method }
      : { method, body: bodyOf(form, submitter), headers: { "content-type": "application/json" } }
  const problem = await fetch(form.action, sent).then(
    (response) => (response.ok ? "" : problemOf(response)),
    () => "The sandbox does not respond"
  )
  at("#problem").textContent = problem
  if (problem !== "") return
  form.reset()
  form.closest("details")?.removeAttribute("open")
  if (next !== undefined) location.href = next
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
for (let version = document.body.dataset.version, failures = 0; ; ) {
  try {
    const changed = fetch("/_sandbox/changes?after=" + version, { cache: "no-store" })
    state.textContent = "Live"
    if (!(await changed).ok) throw changed
    version = await refresh()
    failures = 0
    await sleep(200)
  } catch {
    state.textContent = "Connecting…"
    await sleep(Math.min(10_000, 250 * 2 ** failures++))
  }
}
`
