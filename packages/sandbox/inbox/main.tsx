/** Starts the page. */
import { render } from "preact"
import { App } from "./App.tsx"
import { keepListening } from "./Live.ts"
import { keepTheme } from "./components/ThemeSwitch.tsx"
import { followUrl } from "./Route.ts"
import { keepShortcuts } from "./Shortcuts.tsx"
import { keepStore } from "./Store.ts"
import { takeTokenFromUrl } from "./Token.ts"

const root = document.getElementById("inbox")

if (root !== null) {
  keepTheme()
  takeTokenFromUrl()
  followUrl()
  keepStore()
  keepShortcuts()
  render(<App />, root)
  void keepListening()
}
