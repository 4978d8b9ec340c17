/** Which failures stop a run. */
import type { RowEnd } from "./SendRow.ts"
import type { Stop } from "../model/Campaign.ts"

/** So many failures of one kind, before any SMS was accepted, mean that a setting is wrong. */
const maxAlike = 5

/** So many responses in a row that accepted nobody are not from the service. */
const maxNobody = 5

/** If the service breaks in the middle, more rows would become unknown. */
const maxInARow = 100

interface Verdict {
  readonly stop?: Stop
  /**
   * The cause may be a setting, such as the service's address, and not the row: then a rejection is not stored. What
   * the service refuses for all is never stored.
   */
  readonly isInDoubt: boolean
}

interface Alike {
  readonly failure: string | undefined
  readonly count: number
}

const noneAlike: Alike = { failure: undefined, count: 0 }

/** Returns what counts an end. `before` is how the row failed the last time, if it did. */
export const make = () => {
  let wasAccepted = false
  let inARow = 0
  let nobodyInARow = 0
  let alike = noneAlike
  return (end: RowEnd, before: string | undefined): Verdict => {
    const { acceptedNobody, stored, failure, isAboutRow, slowDown, stop } = end
    if (stored.outcome === "sent") {
      wasAccepted = true
      inARow = 0
      nobodyInARow = 0
    }
    const because = failure === undefined ? {} : { failure }
    if (stop !== undefined) return { stop: { reason: stop, ...because }, isInDoubt: false }
    // If the service is busy or unavailable, the run waits and does not stop.
    if (failure === undefined || slowDown !== undefined) return { isInDoubt: false }
    inARow++
    nobodyInARow = acceptedNobody === true ? nobodyInARow + 1 : 0
    if (nobodyInARow >= maxNobody) {
      return { stop: { reason: "AcceptedNobody", failure }, isInDoubt: false }
    }
    if (isAboutRow === true) alike = noneAlike
    // If the row failed like this before, a person has run it again since: then the row is wrong.
    const saysSomething = !wasAccepted && failure !== before && isAboutRow !== true
    if (saysSomething) {
      alike = { failure, count: failure === alike.failure ? alike.count + 1 : 1 }
      if (alike.count >= maxAlike) {
        return { stop: { reason: "NothingAccepted", failure }, isInDoubt: true }
      }
    }
    return inARow >= maxInARow
      ? { stop: { reason: "FailuresInARow", failure }, isInDoubt: saysSomething }
      : { isInDoubt: saysSomething }
  }
}
