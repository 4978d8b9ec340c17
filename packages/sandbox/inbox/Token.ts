/**
 * The access token, if the sandbox needs one. It is kept until the tab is closed.
 */
import { signal } from "@preact/signals"

const key = "messaging-topup-sandbox-token"

export const token = signal<string | undefined>(sessionStorage.getItem(key) ?? undefined)

export const setToken = (value: string): void => {
  sessionStorage.setItem(key, value)
  token.value = value
}

/** Moves the token out of `#token=…`, so that it is neither in the URL nor in the history. */
export const takeTokenFromUrl = (): void => {
  const [, encoded] = /^#token=(.+)$/.exec(location.hash) ?? []
  if (encoded === undefined) return
  history.replaceState(null, "", location.pathname + location.search)
  setToken(new URLSearchParams(`token=${encoded.replaceAll("+", "%2B")}`).get("token") ?? encoded)
}
