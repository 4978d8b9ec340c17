/**
 * What the page shows. It is in the address, so that "back" and a copied link work.
 */
import { signal } from "@preact/signals"
import { takeTokenFromAddress } from "./Token.ts"

const views = ["messages", "requests", "send"] as const

export type View = (typeof views)[number]

interface Route {
  readonly view: View
  /** The message that was chosen; without one, the newest is shown where there is room. */
  readonly messageId: string | undefined
}

const parse = (): Route => {
  const [, name, id] = /^#\/(\w+)(?:\/(.+))?$/.exec(location.hash) ?? []
  return {
    view: views.find((view) => view === name) ?? "messages",
    messageId: id === undefined ? undefined : decoded(id)
  }
}

const decoded = (id: string): string => {
  try {
    return decodeURIComponent(id)
  } catch {
    return id
  }
}

export const toView = (view: View): string => `#/${view}`

export const toMessage = (id: string): string => `#/messages/${encodeURIComponent(id)}`

export const route = signal<Route>(parse())

export const navigate = (hash: string): void => {
  history.replaceState(null, "", hash)
  route.value = parse()
}

export const followAddress = (): void => {
  addEventListener("hashchange", () => {
    takeTokenFromAddress()
    route.value = parse()
  })
}
