/** Sends that no row of their list leads to, because it was changed or removed since, or is invalid now. */
import { counted, note, numberOf } from "@messaging-topup/command"
import { type KnownSend, SendJournal, states } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { List } from "../input/List.ts"
import { quotedText } from "../words/QuotedText.ts"
import { shellLine } from "../words/ShellLine.ts"
import { argumentsFor, type JournalFlags } from "./ChosenJournal.ts"
import { type KnownRow, knownRows } from "./KnownRows.ts"
import { toDecide, withIds } from "./WayToDecide.ts"

const them = (count: number): string => (count === 1 ? "it" : "them")

/** A row whose key nobody can make: the journal may have what it was before. */
const isLost = ({ row, standing }: KnownRow): boolean =>
  row._tag === "InvalidRow" && standing === undefined

/**
 * The ids of the unknown and of the freed ones, and how many sent ones the invalid rows may have been. Reads the list only
 * if its campaign has such sends.
 */
const unlistedOf = Effect.fnUntraced(function* (
  campaign: string,
  { everyRow }: Pick<List, "everyRow">,
  hasInvalid: boolean
) {
  const { campaigns, decidable } = yield* SendJournal
  const unknown = yield* decidable({ campaign })
  const freed = yield* decidable({ campaign, was: "resend" })
  const keys = new Set([...unknown, ...freed].map(({ key }) => key))
  let sent = hasInvalid ? (yield* campaigns.counts(campaign)).sent : 0
  let lost = 0
  if (keys.size > 0 || sent > 0) {
    const rows = Stream.takeUntil(knownRows(everyRow, campaign), (known) => {
      const { send } = known.standing ?? {}
      keys.delete(send?.key ?? "")
      if (send?.state === "sent") sent--
      if (isLost(known)) lost++
      return keys.size === 0 && sent <= 0
    })
    yield* Stream.runDrain(rows)
  }
  const idsOf = (sends: ReadonlyArray<KnownSend>) =>
    sends.filter(({ key }) => keys.has(key)).map(({ id }) => id)
  return { unknown: idsOf(unknown), freed: idsOf(freed), sent: lost === 0 ? 0 : Math.max(0, sent) }
})

/**
 * Says which sends of a campaign are in no row of its list: those that wait for a person or a run, and those that invalid
 * rows may hide.
 */
export const noteUnlisted = Effect.fnUntraced(function* (
  campaign: string,
  list: Pick<List, "everyRow" | "isPart">,
  flags: JournalFlags,
  hasInvalid: boolean
) {
  if (list.isPart) return
  const { freed, sent, unknown } = yield* unlistedOf(campaign, list, hasInvalid)
  const journal = yield* argumentsFor(flags)
  const say = (what: string, count: number, way: string) => {
    if (count === 0) return Effect.void
    const are = count === 1 ? "is" : "are"
    return note(
      `${what} of the campaign ${quotedText(campaign)} ${are} in no row of this list as it is now${way}`
    )
  }
  const noRun = ({ length }: ReadonlyArray<number>) =>
    `, so no run of this list sends ${them(length)}. `
  yield* say(
    `${numberOf(sent)} sent SMS`,
    sent,
    `: who is in an invalid row may have got ${sent === 1 ? "it" : "one of them"}, before the row was changed`
  )
  const shown = `${shellLine("sends", "--unknown", ...journal)} shows ${them(unknown.length)}`
  const decide = withIds(shellLine("resolve", ...journal), unknown)
  yield* say(
    counted(unknown.length, `${states.unknown.word} send`),
    unknown.length,
    `${noRun(unknown)}${shown}. ${toDecide(decide)}`
  )
  const close = shellLine("resolve", ...journal, "--was", "resend", "--not-sent")
  yield* say(
    counted(freed.length, `${states.freed.word} send`),
    freed.length,
    `${noRun(freed)}To send ${them(freed.length)}, put back ${freed.length === 1 ? "its row as it was" : "their rows as they were"}; otherwise: ${withIds(close, freed, "results names them then")}`
  )
})
