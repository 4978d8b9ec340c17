/**
 * `reconcile`: reads the status of sent rows from the service.
 */
import * as Effect from "effect/Effect"
import { reconcile as readStatuses } from "../../sending/Reconcile.ts"
import { exitCodes } from "../ExitCodes.ts"
import { report, table } from "../Output.ts"
import { type ServiceFlags, withServices } from "../Services.ts"

export interface ReconcileInput extends ServiceFlags {
  readonly campaign: string
  readonly final: ReadonlyArray<string>
}

export const reconcile = (input: ReconcileInput) =>
  withServices({ ...input, mustExist: true }, ({ id }) =>
    Effect.gen(function* () {
      const found = yield* readStatuses(id, { isFinal: (status) => input.final.includes(status) })
      yield* report(
        { event: "Reconciled", ...found },
        table([
          ["statuses read", found.read],
          ["final", found.final],
          ["could not be read", found.failed]
        ])
      )
      return found.failed > 0 ? exitCodes.notAllSent : exitCodes.done
    })
  )
