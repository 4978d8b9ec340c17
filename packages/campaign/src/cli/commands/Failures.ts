/**
 * `failures`: the rows that were not sent.
 */
import type { Row } from "@messaging-topup/journal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { columns } from "../../input/Row.ts"
import { results } from "../../rows/Results.ts"
import * as State from "../../rows/State.ts"
import { csvLine } from "../../input/CsvWriter.ts"
import { exitCodes } from "../ExitCodes.ts"
import { isTerminal, print } from "../Output.ts"
import { withJournalToRead } from "../Services.ts"
import type { CampaignInput } from "./State.ts"

export interface FailuresInput extends CampaignInput {
  readonly csv: boolean
}

const csvColumns = [...columns, "state", "reason"] as const

const csvOf = ({ info = "", key, request, state }: Row): string => {
  const cells: Readonly<Partial<Record<(typeof csvColumns)[number], string | undefined>>> = {
    ...request,
    key,
    state,
    reason: info
  }
  return csvLine(csvColumns.map((column) => cells[column] ?? ""))
}

/** Leaves out number and text. */
const jsonOf = ({ info, key, state }: Row): string =>
  JSON.stringify({ event: "Failure", key, state, ...(info === undefined ? {} : { reason: info }) })

const textOf = ({ info = "", key, state }: Row): string => `${state.padEnd(8)}  ${key}  ${info}`

export const failures = (input: FailuresInput) =>
  withJournalToRead(
    input,
    Effect.gen(function* () {
      // Fails if the campaign does not exist: without this, it would seem to have no failures.
      yield* State.status(input.campaign)
      const textOfRow = input.csv ? csvOf : (yield* isTerminal) ? textOf : jsonOf
      if (input.csv) yield* print(csvLine(csvColumns))
      let count = 0
      for (const state of ["rejected", "unknown"] as const) {
        yield* Stream.runForEachArray(results(input.campaign, { state }), (rows) => {
          count += rows.length
          return print(rows.map(textOfRow).join("\n"))
        })
      }
      return count > 0 ? exitCodes.notAllSent : exitCodes.done
    })
  )
