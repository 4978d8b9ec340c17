/** A time of the sandbox, in the time zone of the browser. */
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString()

interface Props {
  /** ISO 8601. */
  readonly value: string
  readonly isFull?: boolean
}

export const Time = ({ isFull = false, value }: Props) => {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return <time>{value}</time>
  const short = isToday(date) ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`
  return (
    <time dateTime={value} title={value}>
      {isFull ? full.format(date) : short}
    </time>
  )
}
