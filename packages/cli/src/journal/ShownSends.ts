/** Sends as a person reads them: those of the journal, and the rows of a list. */
import { tableOf, visible } from "@messaging-topup/command"
import { anotherSms, type KnownSend, wordOf } from "@messaging-topup/journal/internal"
import type { Campaign, Send } from "../Events.ts"
import * as LocalTime from "../words/LocalTime.ts"
import { quotedText } from "../words/QuotedText.ts"
import type { KeyedRow } from "./KnownRows.ts"

export const sendOf = ({
  caller,
  campaign,
  claimedAt,
  id,
  key,
  messages,
  state
}: KnownSend): Send => ({
  event: "Send",
  id,
  time: LocalTime.utc(claimedAt),
  state: wordOf(state),
  caller,
  campaign,
  // That of a send of the server is a digest, which tells nobody anything.
  key: caller === undefined ? key : undefined,
  message_id: messages.map(({ message_id }) => message_id)
})

/** A row as the list has it now. If its SMS was another one, or may have been, nobody is to ask about that of the list. */
export const rowOf = ({ request, row: { line }, standing: { isOther, send } }: KeyedRow) => {
  const listed = isOther ? undefined : request
  const otherwise = isOther ? `${anotherSms} than the list has now` : "its row is invalid now"
  return {
    line,
    recipient: listed?.recipient,
    message: listed === undefined ? otherwise : quotedText(listed.message),
    id: listed === undefined ? send?.id : undefined,
    time: listed === undefined && send !== undefined ? LocalTime.utc(send.claimedAt) : undefined
  }
}

export type Shown = Campaign | Omit<Send, "message_id" | "state"> | ReturnType<typeof rowOf>

/** A table with a line of names, and without the fields that nothing has. None for nothing. */
export const tableOfFields = (things: ReadonlyArray<Shown>): string | undefined => {
  const rows = things.map((thing) => new Map(Object.entries(thing)))
  const used = [...(rows[0]?.keys() ?? [])].filter(
    (name) => name !== "event" && rows.some((row) => row.get(name) !== undefined)
  )
  const cells = rows.map((row) =>
    used.map((name) => visible([row.get(name) ?? ""].flat().join(" ")))
  )
  return rows.length === 0 ? undefined : tableOf([used, ...cells])
}
