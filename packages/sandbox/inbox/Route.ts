/**
 * The current view. It is in the URL, so that "back" and a copied link work.
 */
import { signal } from "@preact/signals"

const views = ["messages", "requests", "send"] as const

export type View = (typeof views)[number]

interface Route {
  readonly view: View
  /** The selected message. If undefined, a wide page shows the newest. */
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

export const followUrl = (): void => {
  addEventListener("hashchange", () => {
    route.value = parse()
  })
}
