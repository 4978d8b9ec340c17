/**
 * `preview`: shows the totals of a file of rows. Sends and stores nothing.
 */
import * as Effect from "effect/Effect"
import { exitCodes } from "../ExitCodes.ts"
import { isTerminal } from "../Output.ts"
import * as RowsFile from "../RowsFile.ts"

export const preview = Effect.fnUntraced(function* (flags: RowsFile.FileFlags) {
  const rowsFile = yield* RowsFile.make(flags)
  const texts = new Array<string>()
  const totals = yield* RowsFile.totalsOf(rowsFile, (rows) =>
    Effect.sync(() => {
      if (texts.length < RowsFile.maxExamples) {
        texts.push(...rows.slice(0, RowsFile.maxExamples).map(({ row }) => row.request.message))
      }
    })
  )
  yield* RowsFile.reportTotals(rowsFile, totals)
  if (flags.template !== undefined && (yield* isTerminal)) yield* RowsFile.noteExamples(texts)
  return totals.invalid > 0 ? exitCodes.notAllSent : exitCodes.done
})
