/**
 * The access token, where the sandbox asks for one. It lives as long as the tab.
 */
import { signal } from "@preact/signals"

const key = "messaging-topup-sandbox-token"

export const token = signal<string | undefined>(sessionStorage.getItem(key) ?? undefined)

export const setToken = (value: string): void => {
  sessionStorage.setItem(key, value)
  token.value = value
}

/** Takes the token out of `#token=…`, so that it stays neither in the address nor in the history. */
export const takeTokenFromAddress = (): void => {
  const [, encoded] = /^#token=(.+)$/.exec(location.hash) ?? []
  if (encoded === undefined) return
  history.replaceState(null, "", location.pathname + location.search)
  setToken(new URLSearchParams(`token=${encoded.replaceAll("+", "%2B")}`).get("token") ?? encoded)
}
