/** The whole page. */
import { effect, signal } from "@preact/signals"
import { FaultBar, FaultDialog, isFaultDialogOpen } from "./Faults.tsx"
import { Icon, type IconName } from "./Icon.tsx"
import { type Connection, connection, reconnectNow } from "./Live.ts"
import { Messages } from "./MessageList.tsx"
import { announcement, Problem } from "./Notice.tsx"
import { Requests } from "./Requests.tsx"
import { route, toView, type View } from "./Route.ts"
import { Send } from "./Send.tsx"
import { messages, requests } from "./Store.ts"
import { TokenForm } from "./TokenForm.tsx"

const key = "messaging-topup-sandbox-theme"

const themes = ["system", "light", "dark"] as const

type Theme = (typeof themes)[number]

const theme = signal<Theme>(themes.find((name) => name === localStorage.getItem(key)) ?? "system")

export const keepTheme = (): void => {
  effect(() => {
    localStorage.setItem(key, theme.value)
    document.documentElement.dataset["theme"] = theme.value
  })
}

const after: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" }

const icons: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" }

const switchTheme = (): void => {
  theme.value = after[theme.value]
}

/** Switches the theme: light, dark, or the theme of the system. */
const ThemeSwitch = () => {
  const label = `Theme: ${theme.value}. Switch to ${after[theme.value]}`
  return (
    <button
      type="button"
      class="quiet icon-button"
      aria-label={label}
      title={label}
      onClick={switchTheme}
    >
      <Icon name={icons[theme.value]} />
    </button>
  )
}

const connectionLabels: Record<Connection, string> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
  locked: "Locked"
}

/** Shows whether the page receives events. */
const ConnectionState = () => {
  const state = connection.value
  return (
    <span class="connection" data-state={state}>
      <span role="status">{connectionLabels[state]}</span>
      {state === "reconnecting" ? (
        <button type="button" class="quiet" onClick={reconnectNow}>
          Try now
        </button>
      ) : null}
    </span>
  )
}

const Count = ({ count }: { count: number | undefined }) =>
  count === undefined || count === 0 ? null : <span class="count">{count.toLocaleString()}</span>

const Tab = ({
  count,
  icon,
  text,
  view
}: {
  readonly view: View
  readonly icon: IconName
  readonly text: string
  readonly count?: number | undefined
}) => (
  <a href={toView(view)} aria-current={route.value.view === view ? "page" : undefined}>
    <Icon name={icon} />
    <span>{text}</span>
    <Count count={count} />
  </a>
)

const Header = () => (
  <header class="top">
    <h1>
      <span class="mark" aria-hidden="true" />
      <span class="brand">
        Sandbox <span>inbox</span>
      </span>
    </h1>
    <nav class="tabs" aria-label="Views">
      <Tab view="messages" icon="bubble" text="Messages" count={messages.page.value?.kept} />
      <Tab view="requests" icon="arrows" text="Requests" count={requests.page.value?.kept} />
      <Tab view="send" icon="terminal" text="Send" />
    </nav>
    <div class="tools">
      <ConnectionState />
      <button type="button" class="fault-button" onClick={() => (isFaultDialogOpen.value = true)}>
        <Icon name="bolt" /> <span>Set fault</span>
      </button>
      <ThemeSwitch />
    </div>
  </header>
)

const CurrentView = () => {
  switch (route.value.view) {
    case "messages":
      return <Messages />
    case "requests":
      return <Requests />
    case "send":
      return <Send />
  }
}

export const App = () => {
  if (connection.value === "locked") return <TokenForm />
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Header />
      <FaultBar />
      <main id="main" tabIndex={-1}>
        <CurrentView />
      </main>
      {isFaultDialogOpen.value ? null : <Problem />}
      <p class="hidden" role="status" aria-live="polite">
        {announcement.value}
      </p>
      <FaultDialog />
    </>
  )
}

/** Moves the focus without a change of the URL, which stands for the view. */
const skipToMain = (event: Event): void => {
  event.preventDefault()
  document.getElementById("main")?.focus()
}
