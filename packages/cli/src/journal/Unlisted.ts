/** Sends that no row of their list leads to, because it was changed or removed since. */
import { counted, note } from "@messaging-topup/command"
import { SendJournal, states } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { List } from "../input/List.ts"
import { quotedText } from "../words/QuotedText.ts"
import { shellLine } from "../words/ShellLine.ts"
import { argumentsFor, type JournalFlags } from "./ChosenJournal.ts"
import { knownRows } from "./KnownRows.ts"
import { withIds } from "./WayToDecide.ts"

const them = (count: number): string => (count === 1 ? "it" : "them")

/** The ids of the unknown and of the freed ones. Reads the list only if its campaign has such sends. */
const unlistedIds = Effect.fnUntraced(function* (
  campaign: string,
  { everyRow }: Pick<List, "everyRow">
) {
  const { decidable } = yield* SendJournal
  const unknown = yield* decidable({ campaign })
  const freed = yield* decidable({ campaign, was: "resend" })
  const keys = new Set([...unknown, ...freed].map(({ key }) => key))
  if (keys.size > 0) {
    const rows = Stream.takeUntil(knownRows(everyRow, campaign), ({ standing }) => {
      keys.delete(standing?.send?.key ?? "")
      return keys.size === 0
    })
    yield* Stream.runDrain(rows)
  }
  return [unknown, freed].map((sends) =>
    sends.filter(({ key }) => keys.has(key)).map(({ id }) => id)
  )
})

/** Says which sends of a campaign wait for a person or a run, and are in no row of its list. */
export const noteUnlisted = Effect.fnUntraced(function* (
  campaign: string,
  list: Pick<List, "everyRow" | "isPart">,
  flags: JournalFlags
) {
  if (list.isPart) return
  const [unknown = [], freed = []] = yield* unlistedIds(campaign, list)
  const journal = yield* argumentsFor(flags)
  const say = (word: string, { length }: ReadonlyArray<number>, way: string) => {
    if (length === 0) return Effect.void
    const are = length === 1 ? "is" : "are"
    return note(
      `${counted(length, `${word} send`)} of the campaign ${quotedText(campaign)} ${are} in no row of this list as it is now, so no run of this list sends ${them(length)}. ${way}`
    )
  }
  const shown = `${shellLine("sends", "--unknown", ...journal)} shows ${them(unknown.length)}`
  const decide = withIds(shellLine("resolve", ...journal), unknown)
  yield* say(
    states.unknown.word,
    unknown,
    `${shown}. To decide, add --sent, --not-sent or --resend to: ${decide}`
  )
  const close = shellLine("resolve", ...journal, "--was", "resend", "--not-sent")
  yield* say(
    states.freed.word,
    freed,
    `To send ${them(freed.length)}, put back ${freed.length === 1 ? "its row as it was" : "their rows as they were"}; otherwise: ${withIds(close, freed, "results names them then")}`
  )
})
