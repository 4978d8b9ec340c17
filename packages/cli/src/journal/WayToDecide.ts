/** How a person decides about sends that no line of a list names. */
import { anyOf, type Invocation, numberOf } from "@messaging-topup/command"
import { decidedState, type SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { List } from "../input/List.ts"
import { shellLine } from "../words/ShellLine.ts"
import { argumentsFor, type JournalFlags } from "./ChosenJournal.ts"
import { knownRows } from "./KnownRows.ts"

const decisions = Struct.keys(decidedState).map((decision) => `--${decision}`)

/** Without a decision, the line changes nothing, so it can be pasted. */
export const toDecide = (line: string, about = ""): string =>
  `To decide${about}, add ${anyOf(decisions)} to: ${line}`

const maxShown = 5

/** The line with the first of these ids. `listed` says where those are that it does not name. */
export const withIds = (
  line: string,
  [first, ...others]: ReadonlyArray<number>,
  listed?: string
): string => {
  const withFirst = `${line} --id ${first ?? "ID"}`
  if (others.length === 0) return withFirst
  const more = others.length - maxShown
  const shown = others.slice(0, maxShown).join(", ")
  const where = listed === undefined ? "" : `: ${listed}`
  return `${withFirst}; likewise of ${shown}${more > 0 ? ` and ${numberOf(more)} more${where}` : ""}`
}

interface Rows {
  readonly campaign: string
  readonly list: Pick<List, "everyRow">
}

/** Their ids. A journal that cannot be asked tells them later. */
const unknownIds = ({ campaign, list }: Rows) =>
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
  rows: Rows,
  isAsked: boolean,
  flags: JournalFlags
): Effect.fn.Return<string, never, Invocation | SendJournal> {
  const ids = isAsked ? yield* unknownIds(rows) : []
  const journal = yield* argumentsFor(flags)
  const all = shellLine("sends", "--unknown", ...journal)
  const line = withIds(shellLine("resolve", ...journal), ids, `${all} lists them`)
  return ids.length === 0 ? `${line}, with an ID that ${all} lists` : line
})
