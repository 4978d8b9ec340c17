/**
 * The keys that a mail program has: in a list, the arrow keys move and `/` searches; Escape goes back.
 * Elsewhere `/` does nothing, because a person who speaks to the computer may say it (WCAG 2.1.4).
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
  } else if (target.matches("[data-row]") && (step !== undefined || key === "/")) {
    event.preventDefault()
    if (step === undefined) document.getElementById(searchId)?.focus()
    else move(step)
  }
}

export const keepKeyboard = (): void => addEventListener("keydown", handle)
