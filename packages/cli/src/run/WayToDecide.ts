/** How a person decides about the rows of a run whose outcome is unknown. */
import { type Invocation, numberOf } from "@messaging-topup/command"
import type { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { argumentsFor, type JournalFlags } from "../journal/ChosenJournal.ts"
import { knownRows } from "../journal/KnownRows.ts"
import { shellLine } from "../words/ShellLine.ts"
import type { RunSettings } from "./Plan.ts"

const maxShown = 5

/** Their ids. A journal that cannot be asked tells them later. */
const unknownIds = ({ campaign, list }: Pick<RunSettings, "campaign" | "list">) =>
  knownRows(list.everyRow, campaign).pipe(
    Stream.map(({ standing }) =>
      standing?.state === "unknown" && standing.send !== undefined ? [standing.send.id] : []
    ),
    Stream.flattenIterable,
    Stream.runCollect,
    Effect.orElseSucceed(() => [])
  )

/** Of rows that no later command can read again. Their campaign has the rows of other runs, too. */
export const byIds = Effect.fnUntraced(function* (
  settings: Pick<RunSettings, "campaign" | "list">,
  isAsked: boolean,
  flags: JournalFlags
): Effect.fn.Return<string, never, Invocation | SendJournal> {
  const [first, ...others] = isAsked ? yield* unknownIds(settings) : []
  const journal = yield* argumentsFor(flags)
  const all = shellLine("sends", "--unknown", ...journal)
  const line = shellLine("resolve", ...journal, "--id", String(first ?? "ID"))
  if (first === undefined) return `${line}, with an ID that ${all} lists`
  if (others.length === 0) return line
  const more = others.length - maxShown
  const shown = others.slice(0, maxShown).join(", ")
  return `${line}; likewise of ${shown}${more > 0 ? ` and ${numberOf(more)} more: ${all} lists them` : ""}`
})
