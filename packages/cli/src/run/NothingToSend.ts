/** The end of a run that has nothing to send. */
import { type Invocation, note, numberOf } from "@messaging-topup/command"
import type { MessagingTopup } from "@messaging-topup/core"
import { SendJournal } from "@messaging-topup/journal/internal"
import * as Effect from "effect/Effect"
import type { CommandError } from "../CommandError.ts"
import { tell } from "../Events.ts"
import type { List } from "../input/List.ts"
import * as Campaign from "../journal/Campaign.ts"
import type { JournalFlags } from "../journal/ChosenJournal.ts"
import { noteUnlisted } from "../journal/Unlisted.ts"
import { byIds, toDecide } from "../journal/WayToDecide.ts"
import type { Plan, RunSettings } from "./Plan.ts"
import { noteRejected } from "./RejectedRows.ts"
import { codeOf } from "./SendList.ts"

const onceMore = "To send the whole list, such as next month's, give another name with --campaign"

const noRows = ({ chosen }: Plan, { name }: List): string =>
  chosen === undefined || chosen.leftOut.size === 0
    ? "The list has no rows"
    : `No row of ${name} has the outcome ${chosen.outcome}`

/** Why nothing is sent, and what to do about it. */
const leftOf = (plan: Plan, list: List): ReadonlyArray<string> => {
  const { excluded, invalid, known, rows, states } = plan
  const { changed, closed, "in-flight": inFlight, rejected, unknown } = known
  const left: ReadonlyArray<readonly [number, string]> = [
    [unknown, "unknown: decide with resolve"],
    [inFlight, "in flight in another process: run it again later"],
    [rejected, "rejected"],
    [changed, "changed: another key sends it, as a second SMS if this key went out"],
    [invalid, "invalid: correct the list"],
    [closed, "closed, as a person decided"],
    [excluded, "excluded by the stop list"]
  ]
  const some = left.filter(([count]) => count > 0)
  return [
    ...some.map(([count, what]) => `${numberOf(count)} ${what}`),
    ...(rows > 0 && states.sent + states.changed === rows ? [onceMore] : []),
    ...(rows + invalid + excluded === 0 ? [noRows(plan, list)] : [])
  ]
}

/** Says why, and returns the exit code. */
export const endWithNothing = Effect.fnUntraced(function* (
  settings: RunSettings,
  plan: Plan,
  flags: Campaign.NameFlags & JournalFlags
): Effect.fn.Return<number, CommandError, Invocation | MessagingTopup | SendJournal> {
  const { campaign, list } = settings
  const { campaigns } = yield* SendJournal
  // What became of its rows can be asked. Of a run that is declined or refused, nothing is known. A stop list is asked for
  // again, but another run may read the list in another way.
  yield* list.stopList === undefined
    ? campaigns.begin(campaign)
    : Campaign.begin({ ...settings, flags })
  const { changed, closed, "in-flight": inFlight, rejected, sent, unknown } = plan.known
  const { invalid } = plan
  yield* tell({
    event: "Ended",
    campaign,
    state: "finished",
    sent_now: 0,
    sent,
    rejected,
    unknown,
    closed,
    changed,
    repeated: 0,
    in_flight: inFlight,
    not_sent: 0,
    invalid
  })
  yield* note(["Nothing to send", ...leftOf(plan, list)].join(". "))
  yield* noteRejected(settings, rejected)
  if (unknown > 0 && list.isPipe) {
    yield* note(toDecide(yield* byIds(settings, true, flags)))
  }
  yield* noteUnlisted(campaign, list, flags, invalid > 0)
  return codeOf({ ...plan.known, invalid })
})
