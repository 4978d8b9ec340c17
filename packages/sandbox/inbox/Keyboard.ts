/**
 * The keys that a mail program has: `/` searches, Escape goes back, and the arrow keys move in a list.
 */
import { navigate, route, toView } from "./Route.ts"

export const searchId = "search"

const move = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")]
  const next = rows[rows.findIndex((row) => row === document.activeElement) + step]
  if (next === undefined) return
  next.focus()
  next.scrollIntoView({ block: "nearest" })
  if (next instanceof HTMLAnchorElement) navigate(next.hash)
}

const focusSearch = (): void => {
  navigate(toView("messages"))
  requestAnimationFrame(() => {
    const input = document.getElementById(searchId)
    if (input instanceof HTMLInputElement) input.select()
  })
}

const leave = (): void => {
  if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur()
  else if (route.value.messageId !== undefined) navigate(toView("messages"))
}

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 }

const handle = (event: KeyboardEvent): void => {
  const { key, target } = event
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (document.querySelector("dialog[open]") !== null || !(target instanceof Element)) return
  const step = steps[key]
  if (key === "Escape") {
    // By default, the browser would clear the search field, and the results would be lost.
    event.preventDefault()
    leave()
  } else if (key === "/" && !target.matches("input, textarea, select")) {
    event.preventDefault()
    focusSearch()
  } else if (step !== undefined && target.matches("[data-row]")) {
    event.preventDefault()
    move(step)
  }
}

export const keepKeyboard = (): void => addEventListener("keydown", handle)
