/** What the commands report: on a terminal as text, otherwise as one JSON object per line. */
import { Invocation, numberOf, tableOf } from "@messaging-topup/command"
import type { Stop } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"

/** The README has a table of them, which a test compares with this type. Times are ISO 8601 in UTC. */
export type Event =
  | { event: "Sandbox"; base_url: string }
  | { event: "InvalidRow"; line: number; field?: string | undefined; problem: string }
  | Totals
  | Compared
  | { event: "Settled"; sent: number; rejected: number; unknown: number; not_sent: number }
  | { event: "Changed" }
  | { event: "Waiting"; why: "no-connection" | "quiet-hours" | "slow-down"; until: string }
  | { event: "WaitingForOthers"; rows: number }
  | { event: "JournalLost"; problem: string }
  | { event: "JournalBack" }
  | Interrupted
  | Ended
  | { event: "Report"; campaign: string; file: string }
  | Send
  | Campaign
  | { event: "Resolved"; as: string; rows: number }
  | { event: "Pruned"; campaign?: string; rows: number }

export interface Totals {
  event: "Totals"
  encoding: string
  rows: number
  invalid: number
  excluded: number
  over_limit: number
  repeated_recipients: number
}

export interface Compared {
  event: "Compared"
  journal: string
  to_send: number
  segments: number
  sent: number
  unknown: number
  rejected: number
  closed: number
  in_flight: number
  changed: number
  recipients_of_this_campaign: number
  same_sms_elsewhere: number
}

export interface Interrupted {
  event: "Interrupted"
  campaign: string
  sent: number
  rejected: number
  unknown: number
  in_flight: number
}

export interface Ended {
  event: "Ended"
  campaign: string
  state: "finished" | "stopped"
  sent_now: number
  stop?: Stop | undefined
  sent: number
  rejected: number
  unknown: number
  closed: number
  changed: number
  repeated: number
  in_flight: number
  not_sent: number
  invalid: number
}

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

/** How many rows of a campaign are in which state. */
export interface Campaign {
  event: "Campaign"
  campaign: string
  sent: number
  unknown: number
  rejected: number
  closed: number
  freed: number
  in_flight: number
}

/** The invisible characters that JSON leaves as they are, and that a terminal obeys. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

export const jsonOf = (event: Event): string =>
  JSON.stringify(event).replace(invisible, (character) =>
    character.split("").map(asEscape).join("")
  )

/** Prints an event: its text on a terminal, if it has one there, and otherwise the JSON. */
export const report = Effect.fnUntraced(function* (event: Event, text?: string) {
  const { terminal } = yield* Invocation
  if (!terminal.isRead) yield* terminal.print(jsonOf(event))
  else if (text !== undefined) yield* terminal.print(text)
})

/** A number of an event and its words for people. A rare one is shown only if it is not 0. */
type Words<E> = readonly [field: keyof E, words: string, is?: "rare" | undefined]

/** The text of counts: words to the left, and numbers to the right. */
export const countsOf = <E extends Event>(
  title: string,
  event: E,
  words: ReadonlyArray<Words<E>>
): string => {
  const rows = words.flatMap(([field, name, is]) => {
    const count = Number(event[field])
    return is === "rare" && count === 0 ? [] : [[`  ${name}`, numberOf(count)]]
  })
  return `${title}\n${tableOf(rows, "right")}`
}
