/** Values and times of the sandbox, as text. */

/**
 * A value from a request, as plain text. It cannot change the writing direction of the text around
 * it.
 */
export const Value = ({ text }: { text: string }) => <bdi class="value">{text}</bdi>

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString()

interface TimeProps {
  /** ISO 8601. */
  readonly value: string
  readonly isFull?: boolean
}

/** A time of the sandbox, in the time zone of the browser. */
export const Time = ({ isFull = false, value }: TimeProps) => {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return <time>{value}</time>
  const short = isToday(date) ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`
  return (
    <time class={isFull ? undefined : "hint rigid"} dateTime={value} title={value}>
      {isFull ? full.format(date) : short}
    </time>
  )
}
