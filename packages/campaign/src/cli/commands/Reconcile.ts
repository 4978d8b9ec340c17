/**
 * `reconcile`: reads the status of sent rows from the service.
 */
import type { Values } from "@messaging-topup/sandbox/command-line"
import * as Effect from "effect/Effect"
import { type Reconciled, reconcile as readStatuses } from "../../sending/Reconcile.ts"
import { exitCodes } from "../ExitCodes.ts"
import type * as Flags from "../Flags.ts"
import * as LiveLine from "../LiveLine.ts"
import { numberOf } from "../../report/Format.ts"
import { report, table } from "../Output.ts"
import { type ServiceFlags, withServices } from "../Services.ts"

type ReadFlags = typeof Flags.final & typeof Flags.reads

/** Reads the statuses, and shows how far it is. */
const statusesOf = Effect.fnUntraced(function* (
  campaign: string,
  { final, readsPerSecond }: Values<ReadFlags>
) {
  let soFar: Reconciled = { read: 0, final: 0, failed: 0 }
  yield* LiveLine.show(({ width }) =>
    [
      `${numberOf(soFar.read)} statuses read`,
      `final ${numberOf(soFar.final)}`,
      ...(soFar.failed > 0 ? [`could not be read ${numberOf(soFar.failed)}`] : [])
    ]
      .join("  ")
      .slice(0, width - 1)
  )
  return yield* readStatuses(campaign, {
    isFinal: (status) => final.includes(status),
    onRead: (now) =>
      Effect.sync(() => {
        soFar = now
      }),
    ...(readsPerSecond === undefined ? {} : { readsPerSecond })
  })
}, Effect.scoped)

export const reconcile = (input: ServiceFlags & Values<ReadFlags & typeof Flags.campaign>) =>
  withServices({ ...input, mustExist: true }, ({ id }) =>
    Effect.gen(function* () {
      const found = yield* statusesOf(id, input)
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
