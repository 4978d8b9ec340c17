/** Reads the rows that a statement returned. A row of another form was not written by this package. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { type JournalError, JournalUnavailable } from "../model/Errors.ts"
import { namesOf } from "../model/Names.ts"
import type { KnownSend, SentMessage } from "../model/Send.ts"
import { stateNames } from "../model/States.ts"
import type { Result } from "./Database.ts"

export type StoredRow = Result[number]

const corrupt = (): never => {
  throw new Error("A row has another form")
}

export const text = (row: StoredRow, name: string): string => {
  const value = row[name]
  return typeof value === "string" ? value : corrupt()
}

/** PostgreSQL returns integers of 64 bits as bigint. The integers of the journal fit in a number. */
export const integer = (row: StoredRow, name: string): number => {
  const value = row[name]
  if (typeof value === "number") return value
  return typeof value === "bigint" ? Number(value) : corrupt()
}

export const oneOf = <const A extends string>(
  row: StoredRow,
  name: string,
  values: ReadonlyArray<A>
): A => values.find((value) => value === row[name]) ?? corrupt()

const isMessage = (value: unknown): value is SentMessage =>
  Predicate.hasProperty(value, "message_id") &&
  typeof value.message_id === "string" &&
  Predicate.hasProperty(value, "status") &&
  typeof value.status === "string"

/** A status can contain anything, also a number or a text: only one that is a word is stored, or said in a sentence. */
export const isWord = (status: string): boolean => /^[A-Za-z_]{1,24}$/.test(status)

/** The messages of a send as they are stored: the response also has the number, and a status could contain anything. */
export const jsonOf = (messages: ReadonlyArray<SentMessage>): string =>
  JSON.stringify(
    messages.map(({ message_id, status }) => ({
      message_id,
      status: isWord(status) ? status : ""
    }))
  )

/** The messages of a send, which are stored as JSON. */
export const messages = (row: StoredRow, name: string): ReadonlyArray<SentMessage> => {
  const parsed: unknown = JSON.parse(text(row, name))
  return Array.isArray(parsed) && parsed.every(isMessage) ? parsed : corrupt()
}

/** The value of a column that can be null. */
export const optional = <A>(
  row: StoredRow,
  name: string,
  read: (row: StoredRow, name: string) => A
): A | undefined => (row[name] === null || row[name] === undefined ? undefined : read(row, name))

/** A send, of the columns that `Rule.ts` selects. */
export const sendOf = (row: StoredRow): KnownSend => ({
  id: integer(row, "id"),
  ...namesOf(text(row, "key")),
  attempt: integer(row, "attempt"),
  state: oneOf(row, "standing", stateNames),
  claimedAt: integer(row, "claimed_at"),
  settledAt: optional(row, "settled_at", integer),
  decidedAt: optional(row, "decided_at", integer),
  staleAt: integer(row, "stale_at"),
  countsUntil: optional(row, "counts_until", integer),
  messages: optional(row, "messages", messages) ?? [],
  reason: optional(row, "reason", text),
  recipient: optional(row, "recipient", text),
  caller: optional(row, "caller", text),
  batch: optional(row, "batch", text),
  segments: optional(row, "segments", integer)
})

/** Reads each row of a result. What cannot be read is damaged. */
export const rowsOf = <A, E>(
  result: Effect.Effect<Result, E>,
  read: (row: StoredRow) => A
): Effect.Effect<ReadonlyArray<A>, E | JournalError> =>
  Effect.flatMap(result, (rows) =>
    Effect.try({
      try: () => rows.map(read),
      catch: () => new JournalUnavailable({ problem: "corrupt" })
    })
  )

/** Reads the first row of a result; undefined if it has none. */
export const rowOf = <A, E>(
  result: Effect.Effect<Result, E>,
  read: (row: StoredRow) => A
): Effect.Effect<A | undefined, E | JournalError> =>
  Effect.map(rowsOf(result, read), ([first]) => first)
