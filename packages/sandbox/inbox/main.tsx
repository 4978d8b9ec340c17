/** Starts the page. */
import { render } from "preact"
import { App, keepTheme } from "./App.tsx"
import { keepKeyboard } from "./Keyboard.ts"
import { keepListening } from "./Live.ts"
import { followUrl } from "./Route.ts"
import { keepStore } from "./Store.ts"

const root = document.getElementById("inbox")

if (root !== null) {
  keepTheme()
  followUrl()
  keepStore()
  keepKeyboard()
  render(<App />, root)
  void keepListening()
}
