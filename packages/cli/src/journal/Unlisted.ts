/** Sends of unknown outcome that no row of their list leads to, because it was changed or removed since. */
import { counted, note } from "@messaging-topup/command"
import * as Effect from "effect/Effect"
import type { List } from "../input/List.ts"
import { quotedText } from "../words/QuotedText.ts"
import { shellLine } from "../words/ShellLine.ts"
import { argumentsFor, type JournalFlags } from "./ChosenJournal.ts"

/** Says how many sends of unknown outcome a campaign has besides the rows of its list. */
export const noteUnlisted = Effect.fnUntraced(function* (
  campaign: string,
  list: Pick<List, "isPipe">,
  count: number,
  flags: JournalFlags
) {
  // Through a pipe, a program gives a part of its rows.
  if (count <= 0 || list.isPipe) return
  const [be, them, each] = count === 1 ? ["is", "it", "it"] : ["are", "them", "each"]
  const sends = shellLine("sends", "--unknown", ...(yield* argumentsFor(flags)))
  yield* note(
    `${counted(count, "unknown send")} of the campaign ${quotedText(campaign)} ${be} in no row of this list as it is now: ${sends} shows ${them}, and resolve --id decides about ${each}`
  )
})
