/** Starts the page. */
import { render } from "preact"
import { App } from "./App.tsx"
import { keepListening } from "./Live.ts"
import { keepTheme } from "./parts/ThemeSwitch.tsx"
import { followAddress } from "./Route.ts"
import { keepShortcuts } from "./Shortcuts.tsx"
import { keepStore } from "./Store.ts"
import { takeTokenFromAddress } from "./Token.ts"

const root = document.getElementById("inbox")

if (root !== null) {
  keepTheme()
  takeTokenFromAddress()
  followAddress()
  keepStore()
  keepShortcuts()
  render(<App />, root)
  void keepListening()
}
