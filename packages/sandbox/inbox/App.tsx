/** The whole page. */
import { ConnectionState } from "./Connection.tsx"
import { FaultBar } from "./faults/FaultBar.tsx"
import { FaultDialog, isFaultDialogOpen } from "./faults/FaultDialog.tsx"
import { connection } from "./Live.ts"
import { Messages } from "./messages/Messages.tsx"
import { announcement } from "./Notice.ts"
import { Icon, type IconName } from "./components/Icon.tsx"
import { Problem } from "./components/Problem.tsx"
import { ThemeSwitch } from "./components/ThemeSwitch.tsx"
import { Requests } from "./requests/Requests.tsx"
import { route, toView, type View } from "./Route.ts"
import { Send } from "./send/Send.tsx"
import { Help, isHelpOpen } from "./Shortcuts.tsx"
import { messages, requests } from "./Store.ts"
import { TokenForm } from "./TokenForm.tsx"

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
      <button
        type="button"
        class="quiet icon-button keyboard-button"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => (isHelpOpen.value = true)}
      >
        <Icon name="keyboard" />
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
      <Help />
    </>
  )
}

/** Moves the focus without a change of the URL, which stands for the view. */
const skipToMain = (event: Event): void => {
  event.preventDefault()
  document.getElementById("main")?.focus()
}
