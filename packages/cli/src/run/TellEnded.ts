/** What a run says of its rows when it is over. */
import { numberOf } from "@messaging-topup/command"
import type { RowCounts } from "@messaging-topup/journal"
import { type Ended, tellCounts } from "../Events.ts"
import type { Destination, Plan } from "./Plan.ts"

/** What a person sees of every run. */
export const outcomes = ["sent", "rejected", "unknown"]

const sumOf = (rows: RowCounts): number =>
  Object.values(rows).reduce((sum: number, count: number) => sum + count, 0)

/**
 * Returns the counts of the whole list: with what the run did not read, and what it could not send. An invalid row counts
 * as that, however its key stands: it is not what went out.
 */
export const totalsOf = (ended: RowCounts, { invalid, rows, unsendable }: Plan) => ({
  sent: ended.sent + unsendable.sent,
  rejected: ended.rejected + unsendable.rejected,
  unknown: ended.unknown + unsendable.unknown,
  closed: ended.closed + unsendable.closed,
  changed: ended.changed + unsendable.changed,
  repeated: ended.repeated,
  in_flight: ended.inFlight + unsendable["in-flight"],
  not_sent: Math.max(ended.notSent, rows - sumOf({ ...ended, notSent: 0 })),
  invalid
})

/** Outcomes of a run, of which the journal may know nothing. */
export interface Heard {
  readonly sent: number
  readonly rejected: number
  readonly unknown: number
}

/** The same of a run that lost its journal: by the plan, and what the run has heard since. */
export const totalsWithout = ({ rejected, sent, unknown }: Heard, plan: Plan) => {
  const { states } = plan
  const ended = {
    sent: states.sent + sent,
    rejected: states.rejected + rejected,
    unknown: states.unknown + unknown,
    closed: states.closed,
    changed: states.changed,
    repeated: 0,
    inFlight: states["in-flight"],
    notSent: 0
  }
  return totalsOf(ended, plan)
}

/** What went out, and where. */
export const sentNowTo = (count: number, { name }: Destination): string =>
  `This run sent ${numberOf(count)} to ${name}`

export const tellEnded = (ended: Omit<Ended, "event">, destination: Destination) => {
  const { campaign, sent, sent_now, state } = ended
  const title = `${campaign}: ${state}. ${sentNowTo(sent_now, destination)}`
  return tellCounts(
    sent_now === sent ? title : `${title}; with what was sent before, of the rows of this list:`,
    { event: "Ended", ...ended },
    outcomes
  )
}
