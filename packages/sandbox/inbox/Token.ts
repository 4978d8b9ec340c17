/**
 * The access token, if the sandbox needs one. It is kept until the tab is closed.
 */

const key = "messaging-topup-sandbox-token"

/** Loads the page again, with this token. */
export const useToken = (value: string): void => {
  sessionStorage.setItem(key, value)
  location.reload()
}

const inUrl = /^#token=(.+)$/

/** Moves the token out of `#token=…`, so that it is neither in the URL nor in the history. */
const takeTokenFromUrl = (): void => {
  const [, encoded] = inUrl.exec(location.hash) ?? []
  if (encoded === undefined) return
  history.replaceState(null, "", location.pathname + location.search)
  const decoded = new URLSearchParams(`token=${encoded.replaceAll("+", "%2B")}`).get("token")
  sessionStorage.setItem(key, decoded ?? encoded)
}

takeTokenFromUrl()

addEventListener("hashchange", () => {
  if (inUrl.test(location.hash)) location.reload()
})

export const token = sessionStorage.getItem(key) ?? undefined
