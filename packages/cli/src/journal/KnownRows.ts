/** The rows of a file, each with what the journal has of it. */
import type { Row } from "@messaging-topup/journal"
import {
  type KeyedSend,
  SendJournal,
  type Standing,
  stateOf
} from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { List } from "../input/List.ts"
import type { FileRow } from "../input/Row.ts"

/** So few that what is read of them is forgotten before it costs memory. */
const rowsPerLook = 512

/** A row whose key was looked up. An invalid one has no request: its SMS is not compared. */
export interface KeyedRow {
  readonly request?: Row["request"] | undefined
  readonly row: FileRow
  readonly standing: Standing
}

/** A row that was looked up. */
export interface LookedRow extends KeyedRow {
  readonly request: Row["request"]
  readonly send: KeyedSend
}

/** A row without a key cannot be looked up. */
export type KnownRow =
  | KeyedRow
  | LookedRow
  | { readonly row: FileRow; readonly standing?: undefined }

/** Whether a run sends a row, if nobody got another SMS. */
export const isFree = (known: KnownRow, retryRejected: boolean): known is LookedRow =>
  known.row._tag === "Row" &&
  known.standing !== undefined &&
  stateOf(known.standing, retryRejected) === "free"

/** Those rows of a list in their order, in pieces. A row that is excluded or invalid now may have been sent before. */
export const knownRows = Effect.fnUntraced(function* (rows: List["rows"], campaign: string) {
  const journal = yield* SendJournal
  const look = Effect.fnUntraced(function* (some: ReadonlyArray<FileRow>) {
    const asked = some.map((row) => {
      if (row._tag === "InvalidRow") {
        const { key } = row
        return key === undefined
          ? { row }
          : { row, send: { key: journal.storedKey({ campaign, key }) } }
      }
      if (row.row === undefined) return { row }
      const { key, request } = row.row
      return { row, request, send: journal.identify({ campaign, key }, request) }
    })
    const sends = asked.flatMap(({ send }) => send ?? [])
    const standings = (yield* journal.campaigns.look(sends)).values()
    return asked.map((each): KnownRow => {
      const standing = each.send === undefined ? undefined : standings.next().value
      return standing === undefined || each.send === undefined
        ? { row: each.row }
        : { ...each, standing }
    })
  })
  return rows.pipe(Stream.grouped(rowsPerLook), Stream.mapEffect(look), Stream.flattenIterable)
}, Stream.unwrap)
