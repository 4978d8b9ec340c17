/** What a run says of a journal that it lost: by why, whether a run sends again what went out. */
import { numberOf } from "@messaging-topup/command"
import type { JournalProblem, SendManyEvent } from "@messaging-topup/journal"
import { olderCopy, stopAll } from "@messaging-topup/journal/internal"

/** With another journal, what was sent is sent again. */
const notAgain = `${stopAll}, and do not run this again before what went out is taken out of the list`

/** Without its journal, too. */
const notWithout = `${stopAll}, and do not run this again before the journal that this run wrote is back; if that is lost, first take out what went out, because no backup has it`

const removed = "removed or replaced"

const losses: { readonly [Problem in JournalProblem]?: string } = {
  corrupt: "damaged",
  empty: "emptied",
  foreign: removed,
  incomplete: "damaged",
  replaced: removed
}

const goneText = (loss: string, lost: number): string => {
  const without = lost === 0 ? "" : `, and the outcomes of ${numberOf(lost)} SMS are in no journal`
  return `The journal was ${loss}${without}: ${notWithout}`
}

const failedOverText = (lost: number): string =>
  `Another database server took over, and the outcomes of ${numberOf(lost)} SMS could not be stored. That server may not have these SMS, and then the next run sends them again: ${notAgain}: compare the service with results`

const replacedText = (missing: number): string =>
  `At least ${numberOf(missing)} SMS of this run ${missing === 1 ? "is" : "are"} not in the journal: ${olderCopy}: ${notAgain}, because no journal has all of it: compare the service with results; if there is a newer file, keep the older one, put the newer one back, and take results of both (--journal)`

/** The journal is there, and cannot be written. */
const lostText = (lost: number): string =>
  `Stopped without the journal: the outcomes of ${numberOf(lost)} SMS could not be stored. They are unknown, and no run sends them again before a person decides, unless an older copy takes its place (a file, a dump or a server)`

/** What is known after an event. */
interface Said {
  /** How many outcomes may be in no journal. */
  readonly lost: number
  /** Why this must not be run again. */
  readonly because: string | undefined
  /** What became of these outcomes, if it may. */
  readonly text: string
}

/** Returns what to say after each event of a run. */
export const make = () => {
  let lost = 0
  let replaced: string | undefined
  let failedOver: string | undefined
  let loss: string | undefined
  return (event: SendManyEvent): Said => {
    if (event._tag === "JournalReplaced") replaced = replacedText(event.missing)
    if (event._tag === "JournalBack") loss = undefined
    if (event._tag === "OutcomesLost") lost = event.rows
    if (event._tag === "JournalLost" || event._tag === "OutcomesLost") {
      const { error } = event
      if (error._tag === "JournalUnavailable") {
        // A backup that takes the place of a damaged file replaces it, and does not make it whole.
        if (loss === undefined || loss === removed) loss = losses[error.problem] ?? loss
        if (error.problem === "failed-over") failedOver = failedOverText(lost)
      }
    }
    const because = replaced ?? failedOver ?? (loss && goneText(loss, lost))
    return { lost, because, text: lostText(lost) }
  }
}
