/** The keyboard shortcuts and their list. */
import { effect, signal } from "@preact/signals"
import { isFaultDialogOpen } from "./faults/FaultDialog.tsx"
import { searchId } from "./messages/Search.tsx"
import { Dialog } from "./components/Dialog.tsx"
import { switchTheme } from "./components/ThemeSwitch.tsx"
import { navigate, route, toView } from "./Route.ts"

export const isHelpOpen = signal(false)

const key = "messaging-topup-sandbox-shortcuts"

/** Speech input types single letters, so the shortcuts can be turned off. */
const isOn = signal(localStorage.getItem(key) !== "off")

const move = (step: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")]
  const focused = rows.findIndex((row) => row === document.activeElement)
  const current = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent === "true")
  const next = rows[Math.min(rows.length - 1, Math.max(0, current + step))]
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

const actions: Readonly<Record<string, () => void>> = {
  "/": focusSearch,
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  1: () => navigate(toView("messages")),
  2: () => navigate(toView("requests")),
  3: () => navigate(toView("send")),
  f: () => (isFaultDialogOpen.value = true),
  t: switchTheme,
  "?": () => (isHelpOpen.value = true)
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select")

const isArrow = (name: string): boolean => name.startsWith("Arrow")

const handle = (event: KeyboardEvent): void => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (document.querySelector("dialog[open]") !== null) return
  if (event.key === "Escape") {
    // By default, the browser would clear the search field, and the results would be lost.
    event.preventDefault()
    return leave()
  }
  if (isTyping(event.target)) return
  // Outside the list, the arrow keys scroll.
  if (
    isArrow(event.key) &&
    !(event.target instanceof Element && event.target.matches("[data-row]"))
  )
    return
  if (!isArrow(event.key) && !isOn.value) return
  const action = actions[event.key]
  if (action === undefined) return
  event.preventDefault()
  action()
}

export const keepShortcuts = (): void => {
  addEventListener("keydown", handle)
  effect(() => localStorage.setItem(key, isOn.value ? "on" : "off"))
}

const list = [
  [["j", "↓"], "Next row"],
  [["k", "↑"], "Previous row"],
  [["Enter"], "Open the row"],
  [["Esc"], "Leave a field, go back"],
  [["/"], "Search"],
  [["1", "2", "3"], "Messages, requests, send"],
  [["f"], "Set a fault"],
  [["t"], "Switch the theme"],
  [["?"], "This list"]
] as const

export const Help = () => (
  <Dialog title="Keyboard" isOpen={isHelpOpen}>
    <dl class="keys">
      {list.map(([names, what]) => (
        <div key={what}>
          <dt>
            {names.map((name) => (
              <kbd key={name}>{name}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <label class="check">
      <input
        type="checkbox"
        checked={isOn.value}
        onChange={({ currentTarget }) => (isOn.value = currentTarget.checked)}
      />
      Use single keys as shortcuts
    </label>
  </Dialog>
)
