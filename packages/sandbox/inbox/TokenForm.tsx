/** Asks for the access token, if the sandbox needs one. */
import { useId } from "preact/hooks"
import { Icon } from "./Icon.tsx"
import { onSubmit } from "./Submit.ts"
import { token, useToken } from "./Token.ts"

const open = (form: HTMLFormElement): void => {
  const value = new FormData(form).get("token")
  if (typeof value === "string" && value.trim() !== "") useToken(value.trim())
}

export const TokenForm = () => {
  const inputId = useId()
  const hintId = useId()
  return (
    <main class="locked">
      <form class="stack" onSubmit={onSubmit(open)}>
        <span class="avatar big">
          <Icon name="bubble" />
        </span>
        <h1>Sandbox inbox</h1>
        <p id={hintId}>
          {token === undefined
            ? "This sandbox needs its access token. It printed the token when it started."
            : "The sandbox does not accept this token. It printed its token when it started."}
        </p>
        <label class="field" for={inputId}>
          <span>Access token</span>
          <input
            id={inputId}
            name="token"
            type="password"
            autocomplete="off"
            aria-describedby={hintId}
            required
            autofocus
          />
        </label>
        <button type="submit" class="primary">
          Open the inbox
        </button>
        <p class="hint">This tab keeps the token until it is closed.</p>
      </form>
    </main>
  )
}
