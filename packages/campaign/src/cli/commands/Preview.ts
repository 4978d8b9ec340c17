/**
 * `preview`: shows the totals of a file of rows. Sends and stores nothing.
 */
import * as Effect from "effect/Effect"
import { exitCodes } from "../ExitCodes.ts"
import * as RowsFile from "../RowsFile.ts"

export const preview = Effect.fnUntraced(function* (flags: RowsFile.FileFlags) {
  const rowsFile = yield* RowsFile.make(flags)
  const totals = yield* RowsFile.totalsOf(rowsFile)
  yield* RowsFile.reportTotals(rowsFile.source.name, totals)
  return totals.invalid > 0 ? exitCodes.notAllSent : exitCodes.done
})
