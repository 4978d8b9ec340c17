/** The whole page. */
import { effect, signal } from "@preact/signals"
import { FaultBar, FaultDialog, isFaultDialogOpen } from "./Faults.tsx"
import { Icon, IconButton, type IconName } from "./Icon.tsx"
import { isLocked } from "./Api.ts"
import { isLive } from "./Live.ts"
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
    document.documentElement.style.colorScheme = theme.value === "system" ? "" : theme.value
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
  return <IconButton icon={icons[theme.value]} label={label} onClick={switchTheme} />
}

/** Shows whether the page receives events. */
const ConnectionState = () => (
  <span
    class="line rigid hint tinted dot"
    data-state={isLive.value ? "live" : "connecting"}
    data-tone={isLive.value ? undefined : "waiting"}
  >
    <span role="status">{isLive.value ? "Live" : "Connecting…"}</span>
  </span>
)

const isCurrent = (view: View): boolean => route.value.view === view

const Tab = ({
  count = 0,
  icon,
  text,
  view
}: {
  readonly view: View
  readonly icon: IconName
  readonly text: string
  readonly count?: number | undefined
}) => (
  <a class="line soft" href={toView(view)} aria-current={isCurrent(view) ? "page" : undefined}>
    <Icon name={icon} />
    <span>{text}</span>
    {count === 0 ? null : (
      <span class="pill toned" data-tone={isCurrent(view) ? "done" : undefined}>
        {count.toLocaleString()}
      </span>
    )}
  </a>
)

const Header = () => (
  <header class="top line">
    <h1 class="line">
      <svg class="mark" viewBox="0 0 24 20" aria-hidden="true">
        <path
          stroke="none"
          d="M7 0h10a7 7 0 0 1 7 7v6a7 7 0 0 1-7 7H2a2 2 0 0 1-2-2V7a7 7 0 0 1 7-7Z"
        />
        <path d="M6 8h12M4 13h12" />
      </svg>
      Sandbox <span class="brand soft">inbox</span>
    </h1>
    <nav class="tabs line" aria-label="Views">
      <Tab view="messages" icon="bubble" text="Messages" count={messages.page.value?.kept} />
      <Tab view="requests" icon="arrows" text="Requests" count={requests.page.value?.kept} />
      <Tab view="send" icon="terminal" text="Send" />
    </nav>
    <div class="tools line">
      <ConnectionState />
      <button
        type="button"
        class="fault-button"
        aria-label="Set fault"
        onClick={() => (isFaultDialogOpen.value = true)}
      >
        <span class="tinted" data-tone="waiting">
          <Icon name="bolt" />
        </span>{" "}
        <span>Set fault</span>
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
  if (isLocked.value) return <TokenForm />
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
