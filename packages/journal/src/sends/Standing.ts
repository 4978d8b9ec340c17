/** How a key stands: which of its attempts speaks for it. */
import * as Struct from "effect/Struct"
import { integer, messages, oneOf, optional, type Row, text } from "../database/Rows.ts"
import type { KnownSend, Standing } from "../Send.ts"
import { type SendState, states as stateTable } from "../States.ts"
import { namesOf } from "./Names.ts"

export const states = Struct.keys(stateTable)

/** The states that speak for a key, the first of them first. */
export const precedence = states.filter((state) => !stateTable[state].mayBeClaimed)

const placeOf = (state: SendState): number => {
  const place = precedence.indexOf(state)
  return place === -1 ? precedence.length : place
}

/** A row of the table, with the state that it has now. */
interface Entry {
  readonly send: KnownSend
  readonly token: string
  readonly request: string
  /** Whether it still counts. */
  readonly counts: boolean
}

export const sendOf = (row: Row): KnownSend => ({
  id: integer(row, "id"),
  ...namesOf(text(row, "key")),
  attempt: integer(row, "attempt"),
  state: oneOf(row, "standing", states),
  claimedAt: integer(row, "claimed_at"),
  settledAt: optional(row, "settled_at", integer),
  staleAt: integer(row, "stale_at"),
  countsUntil: optional(row, "counts_until", integer),
  messages: optional(row, "messages", messages) ?? [],
  reason: optional(row, "reason", text),
  recipient: optional(row, "recipient", text),
  caller: optional(row, "caller", text),
  batch: optional(row, "batch", text),
  segments: optional(row, "segments", integer)
})

/** How the key of these entries stands for a request. The entries are in the order of their attempts. */
export const standingOf = (entries: ReadonlyArray<Entry>, request: string): Standing => {
  let speaking: Entry | undefined
  for (const entry of entries) {
    const place = placeOf(entry.send.state)
    if (entry.counts && place <= placeOf(speaking?.send.state ?? "freed")) speaking = entry
  }
  const state = speaking?.send.state ?? "freed"
  const countOf = (of: SendState) => entries.filter(({ send }) => send.state === of).length
  return {
    state: state === "freed" ? "free" : state,
    attempt: (entries.at(-1)?.send.attempt ?? -1) + 1,
    isChanged: speaking !== undefined && speaking.request !== request,
    sent: countOf("sent"),
    unknown: countOf("unknown"),
    send: speaking?.send
  }
}
