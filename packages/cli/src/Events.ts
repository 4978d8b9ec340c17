/** What the commands tell: on a terminal as text, otherwise as one JSON object per line. */
import { Invocation, numberOf, tableOf } from "@messaging-topup/command"
import { escapedJson } from "@messaging-topup/core/internal"
import type { Stop } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import type { CommandError } from "./CommandError.ts"

/** The README has a table of them, which a test compares with this type. Times are ISO 8601 in UTC. */
export type Event =
  | { event: "Sandbox"; base_url: string }
  | RowProblem
  | Counted
  | { event: "Settled"; sent: number; rejected: number; unknown: number; not_sent: number }
  | { event: "Waiting"; why: "no-connection" | "quiet-hours" | "slow-down"; until: string }
  | { event: "GoesOn" }
  | { event: "WaitingForOthers"; rows: number }
  | { event: "JournalLost"; problem: string }
  | { event: "JournalBack" }
  | { event: "JournalReplaced"; missing: number }
  | { event: "OutcomesLost"; rows: number }
  | { event: "Report"; campaign: string; file: string }
  | Send
  | Campaign
  | {
      event: "Resolved"
      journal: string
      as: string
      changed: number
      meanwhile: number
      other_sms?: number | undefined
      need_again?: number | undefined
    }
  | { event: "Pruned"; campaign?: string; rows?: number; sends?: number }
  | { event: "Created"; journal: string }
  | { event: "Begun"; journal: string }
  | { event: "Accepted"; journal: string }

/** What is to be known of a row before rows are sent. */
export type RowProblem =
  | {
      event: "InvalidRow"
      line: number
      field?: string | undefined
      problem: string
      state?: string | undefined
    }
  | { event: "Repeated"; line: number; field: string; problem: string }
  | { event: "Changed"; line: number; state: string; problem: string }

/** One send: of a caller of the MCP server, of a program, or a row of a campaign. */
export interface Send {
  event: "Send"
  id: number
  time: string
  state: string
  caller?: string | undefined
  campaign?: string | undefined
  key?: string | undefined
  message_id: ReadonlyArray<string>
}

/** Not in the table: a warning says it, where a person decides. */
const warned = undefined

/** The counts of an event, in the order of its fields, and their words for people. */
const words = {
  Totals: {
    rows: "valid",
    invalid: "invalid",
    excluded: "excluded by the stop list",
    repeated_recipients: "same recipient as an earlier row"
  },
  Compared: {
    to_send: "to send",
    segments: "segments to send, because long texts have several",
    sent: "sent already",
    unknown: "unknown, not sent again",
    rejected: "rejected, sent again with --retry rejected",
    closed: "closed, as a person decided",
    in_flight: "in flight in another process",
    changed: "changed, not sent",
    recipients_of_this_campaign: warned,
    same_sms_before: warned,
    scheduled_in_past: warned,
    scheduled_in_quiet_hours: warned,
    scheduled_unchecked: warned
  },
  Interrupted: { sent: "sent", rejected: "rejected", unknown: "unknown", in_flight: "in flight" },
  Ended: {
    sent: "sent",
    rejected: "rejected",
    unknown: "unknown",
    closed: "closed, as a person decided",
    changed: "changed, not sent",
    repeated:
      "not sent, because the recipient got an SMS of this campaign, or the same text, before, or may have",
    in_flight: "in flight in another process",
    not_sent: "not sent yet",
    invalid: "invalid"
  }
} as const

type Counts<E extends keyof typeof words> = Record<keyof (typeof words)[E], number>

type Counted =
  | ({
      event: "Totals"
      encoding: string
      left_out?: Readonly<Record<string, number>> | undefined
    } & Counts<"Totals">)
  | ({ event: "Compared"; service?: string | undefined; journal: string } & Counts<"Compared">)
  | ({ event: "Interrupted"; campaign: string; sent_now: number } & Counts<"Interrupted">)
  | Ended

/** A run is over. `stop`: why before the end; for what made it fail, the name of the error. */
export type Ended = {
  event: "Ended"
  campaign: string
  state: "finished" | "stopped"
  sent_now: number
  stop?: Stop | { readonly reason: CommandError["_tag"] } | undefined
} & Counts<"Ended">

/** How many rows of a campaign are in which state. */
export type Campaign = { event: "Campaign"; campaign: string } & Record<
  "closed" | "freed" | "in_flight" | "rejected" | "sent" | "unknown",
  number
>

const jsonOf = (event: Event): string => escapedJson(JSON.stringify(event))

/** What stdout gets: a person reads texts, and a program one JSON object per line. */
export const tellAll = Effect.fnUntraced(function* (
  events: ReadonlyArray<Event>,
  text: string | undefined,
  asJson = false
) {
  const { terminal } = yield* Invocation
  const lines = asJson || !terminal.isRead ? events.map(jsonOf) : [text]
  for (const line of lines) if (line !== undefined) yield* terminal.print(line)
})

/** Prints an event: its text on a terminal, if it has one there, and otherwise the JSON. */
export const tell = (event: Event, text?: string) => tellAll([event], text)

/** Prints what only a person needs. */
export const tellPerson = (text: string) => tellAll([], text)

/** Tells counts. A person sees those that are always shown, and all others that have a word and are not 0. */
export const tellCounts = (
  title: string,
  event: Counted,
  always: ReadonlyArray<string>,
  never: ReadonlyArray<string> = []
) => {
  const counts: Readonly<Record<string, unknown>> = { ...event }
  const rows = Object.entries(words[event.event]).flatMap(([field, name]) => {
    const count = Number(counts[field])
    const isShown =
      name !== undefined && !never.includes(field) && (always.includes(field) || count > 0)
    return isShown ? [[`  ${name}`, numberOf(count)]] : []
  })
  return tell(event, `${title}\n${tableOf(rows, "right")}`)
}
