/** One SMS, as the recipient's phone shows it, with the data that the sandbox stores. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { StoredMessage } from "../src/record/Stored.ts"
import { CopyButton } from "./Command.tsx"
import { describeRecorded } from "./FaultTexts.ts"
import { Icon } from "./Icon.tsx"
import { toView } from "./Route.ts"
import { StatusControl } from "./Status.tsx"
import { messages, shown } from "./Store.ts"
import { Time, Value } from "./Text.tsx"

export const headingId = "message-heading"

/** Longer texts are shown in full only on request. */
const longText = 4000

const Bubble = ({ text }: { text: string }) => {
  const isWhole = useSignal(text.length <= longText)
  return (
    <div class="bubble stack card">
      <p dir="auto">{isWhole.value ? text : text.slice(0, longText)}</p>
      {isWhole.value ? null : (
        <button type="button" onClick={() => (isWhole.value = true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
      {text === "" ? <span class="hint">An empty text</span> : null}
    </div>
  )
}

const Phone = ({ message }: { message: StoredMessage }) => (
  <div class="phone card">
    <div class="head line">
      <span class="avatar" aria-hidden="true">
        <Icon name="bubble" />
      </span>
      <div>
        <p class="hint">From</p>
        <strong>
          {message.sender_id === undefined ? "no sender id" : <Value text={message.sender_id} />}
        </strong>
      </div>
    </div>
    <div class="phone-screen stack">
      <Time value={message.date_created} />
      <Bubble key={message.message_id} text={message.message} />
    </div>
  </div>
)

type Preview = StoredMessage["preview"]

const maxBars = 12
const barWidth = 64

const Bars = ({ preview }: { preview: Preview }) => {
  const { remaining, segments, unitsPerSegment } = preview
  const bars = Math.min(segments, maxBars)
  const used = barWidth * (1 - remaining / unitsPerSegment)
  return (
    <svg class="bars" viewBox={`0 0 ${bars * (barWidth + 4)} 6`} aria-hidden="true">
      {Array.from({ length: bars }, (_, index) => (
        <g key={index} transform={`translate(${index * (barWidth + 4)} 0)`}>
          <rect width={barWidth} height="6" rx="3" />
          <rect
            class="bar-used"
            width={index === segments - 1 ? Math.max(used, 6) : barWidth}
            height="6"
            rx="3"
          />
        </g>
      ))}
    </svg>
  )
}

const maxCharacters = 16

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const Reasons = ({ characters }: { characters: ReadonlyArray<string> }) => (
  <div class="line wrap hint">
    <span>UCS-2 because of</span>
    <ul class="line wrap">
      {characters.slice(0, maxCharacters).map((character) => (
        <li class="pill card" key={character}>
          <bdi>{character}</bdi> <small class="soft mono">{codePoint(character)}</small>
        </li>
      ))}
    </ul>
    {characters.length > maxCharacters ? (
      <span>and {characters.length - maxCharacters} more</span>
    ) : null}
  </div>
)

const segmentCount = (count: number): string => (count === 1 ? "segment" : "segments")

/** Shows the encoding, the segments and the remaining characters of a text. */
const Segments = ({ preview }: { preview: Preview }) => (
  <div class="segments stack card">
    <dl class="figures">
      <div>
        <dt>Encoding</dt>
        <dd class="strong">{preview.encoding}</dd>
      </div>
      <div>
        <dt>Split into</dt>
        <dd class="strong">
          {preview.segments.toLocaleString()} {segmentCount(preview.segments)}
        </dd>
      </div>
      <div>
        <dt>Remaining characters</dt>
        <dd class="strong">{preview.remaining}</dd>
      </div>
    </dl>
    <Bars preview={preview} />
    {preview.ucs2Characters.length > 0 ? <Reasons characters={preview.ucs2Characters} /> : null}
  </div>
)

const Field = ({ children, name }: { children: ComponentChildren; name: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Stored = ({ message }: { message: StoredMessage }) => (
  <section class="block stack" aria-label="As stored">
    <h3>As stored</h3>
    <dl class="fields card">
      <Field name="Message id">
        <Value text={message.message_id} />
        <CopyButton text={message.message_id} what="message id" />
      </Field>
      <Field name="Accepted">
        <Time value={message.date_created} isFull />
      </Field>
      {message.fault === undefined ? null : (
        <Field name="Response">
          <span class="tinted" data-tone="waiting">
            <Icon name="bolt" /> <Value text={describeRecorded(message.fault)} />
          </span>
        </Field>
      )}
      {message.scheduled_time === undefined ? null : (
        <Field name="Scheduled time">
          <Value text={message.scheduled_time} />
          <p class="hint">The sandbox does not wait for it.</p>
        </Field>
      )}
      {message.webhook_url === undefined ? null : (
        <Field name="Webhook">
          <Value text={message.webhook_url} />
          <p class="hint">The sandbox never calls it.</p>
        </Field>
      )}
    </dl>
  </section>
)

const Message = ({ message }: { message: StoredMessage }) => (
  <>
    <header class="detail-head">
      <a class="back line" href={toView("messages")}>
        <Icon name="back" /> <span>Messages</span>
      </a>
      <p class="hint">SMS to</p>
      <h2 id={headingId} tabIndex={-1}>
        <Value text={message.recipient} />
      </h2>
    </header>
    <Phone message={message} />
    <Segments preview={message.preview} />
    <StatusControl key={message.message_id} message={message} />
    <Stored message={message} />
  </>
)

const Missing = () => (
  <div class="empty soft">
    <h2 id={headingId} tabIndex={-1}>
      This message is gone
    </h2>
    <p>The sandbox no longer has it.</p>
    <a href={toView("messages")}>Back to the messages</a>
  </div>
)

export const MessageDetail = () => {
  const message = shown.value
  if (message === undefined && messages.page.value?.items.length === 0) return null
  return (
    <section class="pane detail-pane" aria-label="Message">
      {message === undefined ? null : message === "missing" ? (
        <Missing />
      ) : (
        <Message message={message} />
      )}
    </section>
  )
}
