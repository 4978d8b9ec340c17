/**
 * `preview`: what a file of rows comes to. Sends and stores nothing.
 */
import * as Effect from "effect/Effect"
import { exitCodes } from "../ExitCodes.ts"
import * as Reading from "../Reading.ts"

export const preview = Effect.fnUntraced(function* (flags: Reading.FileFlags) {
  const reading = yield* Reading.make(flags)
  const totals = yield* Reading.totalsOf(reading)
  yield* Reading.reportTotals(reading.source.name, totals)
  return totals.invalid > 0 ? exitCodes.notAllAccepted : exitCodes.done
})
