/**
 * Puts the rows of a file into the journal. A row that the journal refuses does not stop the others.
 */
import { type JournalError, RowRefused } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { invalid, type ReadRow } from "../input/Row.ts"
import * as Totals from "../input/Totals.ts"
import { type Append, inLoad } from "../rows/Load.ts"
import { rowsPerAppend } from "../rows/Lookup.ts"
import { CannotRun } from "./Failure.ts"
import * as LiveLine from "./LiveLine.ts"
import { listInvalid, type RowsFile } from "./RowsFile.ts"

/** With more conflicts, it is probably the wrong file and not a mistake in some rows. */
const maxConflicts = 100

export const conflict =
  "the journal has the same key with another value: give another key, or another --campaign"

interface LoadOptions {
  readonly campaign: string
  readonly rowsFile: RowsFile
  /** Gets the rows before they are appended, if nobody has compared them with the journal before. */
  readonly compare?: (rows: ReadonlyArray<ReadRow>) => Effect.Effect<unknown, JournalError>
}

/**
 * Loads the rows, and runs `check` after the last one: if it fails or is interrupted, the load leaves nothing.
 * Returns its result, and the totals: the rows that the journal has, and the invalid rows, including those it
 * refused.
 */
export const loadRows = <A, E, R>(options: LoadOptions, check: Effect.Effect<A, E, R>) =>
  inLoad(
    options.campaign,
    Effect.fnUntraced(function* (append: Append) {
      const totals = yield* appendRows(options, append)
      return { totals, checked: yield* check }
    })
  )

const appendRows = Effect.fnUntraced(function* (
  { campaign, compare, rowsFile }: LoadOptions,
  append: Append
) {
  const { name } = rowsFile.source
  // Who compared the rows has listed the invalid ones, too.
  const isListing = compare !== undefined
  const totals = Totals.make()
  const countLoaded = yield* LiveLine.counter(`rows of ${name} loaded`)
  let conflicts = 0
  let waiting = new Array<ReadRow>()

  /** Appends all rows or none. Returns the first row that is refused, if any. */
  const tryAppend = (rows: ReadonlyArray<ReadRow>) =>
    append(rows.map(({ row }) => row)).pipe(
      Effect.as(undefined),
      Effect.catchTags({
        RowConflict: ({ field, index = 0 }) =>
          Effect.succeed(new RowRefused({ field, index, problem: conflict })),
        RowRefused: (refused) => Effect.succeed(refused)
      })
    )

  const appendWaiting = Effect.gen(function* () {
    let rows: ReadonlyArray<ReadRow> = waiting
    waiting = []
    if (compare !== undefined) yield* compare(rows.filter(Totals.isSendable))
    while (rows.length > 0) {
      const refused = yield* tryAppend(rows)
      const fitting = refused === undefined ? rows : rows.slice(0, refused.index)
      for (const row of fitting) Totals.add(totals, row)
      if (refused === undefined) return
      if (fitting.length > 0) yield* tryAppend(fitting)
      const { field, index, problem } = refused
      const row = invalid(rows[index]?.line ?? 0, problem, field)
      Totals.add(totals, row)
      if (isListing) yield* listInvalid(name, totals.invalid, row)
      if (++conflicts > maxConflicts) {
        return yield* new CannotRun({
          problem: `${name}: campaign ${JSON.stringify(campaign)} has the keys of more than ${maxConflicts} rows with other values, and nothing was sent: give another --campaign`
        })
      }
      rows = rows.slice(index + 1)
    }
  })

  yield* Stream.runForEach(
    rowsFile.rows,
    Effect.fnUntraced(function* (rows) {
      countLoaded(rows.length)
      for (const row of rows) {
        if (row._tag === "Row") waiting.push(row)
        else {
          Totals.add(totals, row)
          if (isListing && row._tag === "InvalidRow") yield* listInvalid(name, totals.invalid, row)
        }
      }
      if (waiting.length >= rowsPerAppend) yield* appendWaiting
    })
  )
  yield* appendWaiting
  return totals
}, Effect.scoped)
