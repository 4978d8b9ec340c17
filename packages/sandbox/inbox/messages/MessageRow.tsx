/** One SMS in the list. */
import type { StoredMessage } from "../../src/record/Model.ts"
import { Icon } from "../components/Icon.tsx"
import { Time } from "../components/Time.tsx"
import { toMessage } from "../Route.ts"
import { Status } from "./Status.tsx"
import { Value } from "./Value.tsx"

/** Two lines cannot show more, and a text may have a million characters. */
const excerptLength = 200

const segments = (count: number): string => (count === 1 ? "1 segment" : `${count} segments`)

interface Props {
  readonly message: StoredMessage
  readonly isShown: boolean
  readonly isFirst: boolean
}

export const MessageRow = ({ isFirst, isShown, message }: Props) => (
  <li>
    <a
      class="row"
      data-row
      href={toMessage(message.message_id)}
      aria-current={isShown ? "true" : undefined}
      // The list is one tab stop. The arrow keys, `j` and `k` move inside it.
      tabIndex={isShown || isFirst ? 0 : -1}
    >
      <span class="row-top">
        <span class="row-title">
          <strong>
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
      <span class="excerpt" dir="auto">
        {message.message.slice(0, excerptLength)}
      </span>
      <span class="row-bottom">
        <Status status={message.status} />
        <span class="hint">
          {message.scheduled_time === undefined ? null : (
            <span class="scheduled">
              <Icon name="clock" /> scheduled
            </span>
          )}
          {message.preview.encoding} · {segments(message.preview.segments)}
        </span>
      </span>
    </a>
  </li>
)
