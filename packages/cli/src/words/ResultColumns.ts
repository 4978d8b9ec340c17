/** The columns that `results` adds to a list. A list may be such a file, so both know them. */

interface Result {
  readonly row: { readonly line: number }
  readonly outcome: string
  readonly messageId?: string | undefined
  readonly reason?: string | undefined
  readonly status?: string | undefined
}

/** The name of each, and its cell. `status` is there only with `--statuses`. */
export const resultColumns = {
  line: ({ row }) => String(row.line),
  outcome: ({ outcome }) => outcome,
  message_id: ({ messageId = "" }) => messageId,
  reason: ({ reason = "" }) => reason,
  status: ({ status = "" }) => status
} as const satisfies Readonly<Record<string, (result: Result) => string>>

export type ResultColumn = keyof typeof resultColumns

/** The column that says how a row ended. The journal may know no row of such a file. */
export const outcomeColumn: ResultColumn = "outcome"

/** The one that says why, and who was on the stop list. */
export const reasonColumn: ResultColumn = "reason"
