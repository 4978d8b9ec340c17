/** Why rows of a run were rejected, and how they are sent after all. */
import { note, numberOf } from "@messaging-topup/command"
import { stateOf } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { knownRows } from "../journal/KnownRows.ts"
import { sentenceOf } from "../words/ResultWords.ts"
import type { RunSettings } from "./Plan.ts"

type Settings = Pick<RunSettings, "campaign" | "list" | "location">

/** How many rows have which reason. A journal that cannot be asked tells them later. */
const countsOf = ({ campaign, list }: Settings) =>
  knownRows(list.rows, campaign).pipe(
    Stream.runFold(
      () => new Map<string, number>(),
      (counts, { row, standing }) => {
        if (row._tag === "ExcludedRow" || standing === undefined) return counts
        if (stateOf(standing, false) !== "rejected") return counts
        const reason = sentenceOf(standing.send?.reason)
        return counts.set(reason, (counts.get(reason) ?? 0) + 1)
      }
    ),
    Effect.orElseSucceed(() => new Map<string, number>())
  )

/**
 * Reads the list once more, so it asks only if rows were rejected. The reasons are few: what may concern other rows, too,
 * is no rejection.
 */
export const noteRejected = Effect.fnUntraced(function* (settings: Settings, rejected: number) {
  if (rejected === 0) return
  const counts = [...(yield* countsOf(settings))].toSorted(([, one], [, other]) => other - one)
  if (counts.length === 0) return
  const reasons = counts.map(([reason, count]) => `${numberOf(count)} because ${reason}`)
  const them = rejected === 1 ? "it" : "them"
  const way =
    settings.location._tag === "Memory"
      ? ""
      : `. After the correction, --retry rejected sends ${them}`
  yield* note(`Rejected: ${reasons.join("; ")}${way}`)
})
