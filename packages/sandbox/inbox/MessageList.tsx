/** The accepted SMS, newest first, beside the selected one. */
import { useEffect, useRef } from "preact/hooks"
import type { StoredMessage } from "../src/record/Stored.ts"
import { clearMessages } from "./Api.ts"
import { Command, sendLine, TokenHint } from "./Command.tsx"
import { ClearButton } from "./Dialog.tsx"
import { describeRecorded } from "./FaultTexts.ts"
import { Icon } from "./Icon.tsx"
import { searchId } from "./Keyboard.ts"
import { headingId, MessageDetail } from "./MessageDetail.tsx"
import { Pages } from "./Pager.tsx"
import { navigate, route, toMessage, toView } from "./Route.ts"
import { Status } from "./Status.tsx"
import { filter, isFiltered, messages, search, shown } from "./Store.ts"
import { Time, Value } from "./Text.tsx"

/** Two lines cannot show more, and a text may have a million characters. */
const excerptLength = 200

const segments = (count: number): string => (count === 1 ? "1 segment" : `${count} segments`)

interface RowProps {
  readonly message: StoredMessage
  readonly isShown: boolean
  readonly isFirst: boolean
}

const MessageRow = ({ isFirst, isShown, message }: RowProps) => (
  <li>
    <a
      class="row"
      data-row
      href={toMessage(message.message_id)}
      aria-current={isShown ? "true" : undefined}
      // The list is one tab stop. The arrow keys move inside it.
      tabIndex={isShown || isFirst ? 0 : -1}
    >
      <span class="line spread">
        <span class="grow clamp">
          <strong class="strong">
            <Value text={message.recipient} />
          </strong>
          {message.sender_id === undefined ? null : (
            <span class="hint">
              {" "}
              from <Value text={message.sender_id} />
            </span>
          )}
        </span>
        <Time value={message.date_created} />
      </span>
      <span class="excerpt clamp soft" dir="auto">
        {message.message.slice(0, excerptLength)}
      </span>
      {message.fault === undefined ? null : (
        <span class="hint tinted" data-tone="waiting">
          <Icon name="bolt" /> <Value text={describeRecorded(message.fault)} />
        </span>
      )}
      <span class="line spread">
        <Status status={message.status} />
        <span class="line rigid hint">
          {message.scheduled_time === undefined ? null : (
            <>
              <Icon name="clock" /> <span>scheduled</span>
            </>
          )}
          {message.preview.encoding} · {segments(message.preview.segments)}
        </span>
      </span>
    </a>
  </li>
)

/** Searches the messages by text and by recipient. */
const Search = () => (
  <search class="search line wrap grow">
    <label class="field-with-icon">
      <span class="hidden">Search in text</span>
      <Icon name="search" />
      <input
        id={searchId}
        type="search"
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
        value={filter.value.text}
        onInput={({ currentTarget }) => search({ text: currentTarget.value })}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
    <label>
      <span class="hidden">Search in recipient</span>
      <input
        type="search"
        inputMode="tel"
        placeholder="Recipient"
        autocomplete="off"
        value={filter.value.recipient}
        onInput={({ currentTarget }) => search({ recipient: currentTarget.value })}
      />
    </label>
    {isFiltered.value ? (
      <button type="button" class="quiet" onClick={() => search({ text: "", recipient: "" })}>
        Show all
      </button>
    ) : null}
  </search>
)

/** The placeholder while there are no messages. */
const FirstMessage = () => (
  <div class="first stack">
    <span class="avatar big">
      <Icon name="bubble" />
    </span>
    <h2>No messages yet</h2>
    <p>
      An SMS that the sandbox accepts shows up here at once. <a href={toView("send")}>Send one</a>{" "}
      from this page, or with curl:
    </p>
    <Command line={sendLine("+15551234567", "Hello from the sandbox")} />
    <TokenHint />
  </div>
)

const Rows = () => {
  const page = messages.page.value
  const current = shown.value
  const shownId = typeof current === "object" ? current.message_id : undefined
  if (page === undefined) return <p class="empty soft">Loading…</p>
  if (page.items.length > 0) {
    return (
      <ul class="rows">
        {page.items.map((message, index) => (
          <MessageRow
            key={message.message_id}
            message={message}
            isShown={message.message_id === shownId}
            isFirst={index === 0}
          />
        ))}
      </ul>
    )
  }
  if (isFiltered.value) return <p class="empty soft">No message matches the search.</p>
  return messages.isNewest.value ? (
    <FirstMessage />
  ) : (
    <p class="empty soft">The messages of this page are gone.</p>
  )
}

const clear = async (): Promise<void> => {
  await clearMessages()
  navigate(toView("messages"))
  messages.newest()
}

const MessageList = () => {
  const scroller = useRef<HTMLDivElement>(null)
  const first = messages.page.value?.items[0]?.message_id
  const isNewest = messages.isNewest.value
  // An older page starts at the top. On the newest page, an arriving message must not scroll the
  // list.
  useEffect(() => {
    if (!isNewest) scroller.current?.scrollTo(0, 0)
  }, [isNewest, first])
  return (
    <section class="pane list-pane" aria-label="Messages">
      <div class="head line">
        <Search />
        <ClearButton
          what="messages"
          kept={messages.page.value?.kept ?? 0}
          consequence="All of them are cleared, not only the search results, and their statuses can no longer be read."
          clear={clear}
        />
      </div>
      <div class="scroller" ref={scroller}>
        <Rows />
        <Pages pager={messages} what="messages" />
      </div>
    </section>
  )
}

/** Moves the focus when a message is opened or closed. The arrow keys keep it in the list. */
const followOpened = (): void => {
  requestAnimationFrame(() => {
    const target =
      route.value.messageId === undefined
        ? document.querySelector<HTMLElement>("[data-row][tabindex='0']")
        : document.getElementById(headingId)
    target?.focus()
  })
}

/** The list of accepted SMS, and the selected one. */
export const Messages = () => {
  useEffect(() => {
    addEventListener("hashchange", followOpened)
    return () => removeEventListener("hashchange", followOpened)
  }, [])
  return (
    <div class="split" data-open={route.value.messageId !== undefined}>
      <MessageList />
      <MessageDetail />
    </div>
  )
}
