/** Which failures stop a run. */
import type { RowEnd } from "./SendRow.ts"
import type { Stop } from "../model/Campaign.ts"
import type { StoredEnd } from "../model/Send.ts"

/** So many failures of one kind, before any SMS was accepted, mean that a setting is wrong. */
export const maxAlike = 5

/** So many responses in a row that accepted nobody are not from the service. */
export const maxNobody = 5

/** If the service breaks in the middle, more rows would become unknown. */
export const maxInARow = 100

interface Alike {
  readonly failure: string | undefined
  readonly count: number
}

const noneAlike: Alike = { failure: undefined, count: 0 }

/**
 * A rejection is not stored if its cause may be a setting, such as the service's address, and not the row. What the
 * service refuses for all is never stored.
 */
const inDoubt = (stored: StoredEnd): StoredEnd =>
  stored.state === "rejected" ? { state: "nothing" } : stored

/** Returns what counts an end, and says what is stored of it, and whether the run stops. */
export const make = () => {
  let wasAccepted = false
  let inARow = 0
  let nobodyInARow = 0
  let alike = noneAlike
  /** `before` is how the row failed the last time, if it did. */
  return (
    { acceptedNobody, failure, isAboutRow, slowDown, stop, stored }: RowEnd,
    before: string | undefined
  ): { readonly stored: StoredEnd; readonly stop?: Stop } => {
    if (stored.state === "sent") {
      wasAccepted = true
      inARow = 0
      nobodyInARow = 0
    }
    const because = failure === undefined ? {} : { failure }
    if (stop !== undefined) return { stored, stop: { reason: stop, ...because } }
    // While a busy service leaves no row unknown, the run waits and does not stop.
    if (failure === undefined || (slowDown !== undefined && stored.state === "nothing")) {
      return { stored }
    }
    inARow++
    nobodyInARow = acceptedNobody === true ? nobodyInARow + 1 : 0
    if (nobodyInARow >= maxNobody) return { stored, stop: { reason: "AcceptedNobody", failure } }
    if (isAboutRow === true) alike = noneAlike
    // If the row failed like this before, a person has run it again since: then the row is wrong.
    const saysSomething = !wasAccepted && failure !== before && isAboutRow !== true
    const kept = saysSomething ? inDoubt(stored) : stored
    if (saysSomething) {
      alike = { failure, count: failure === alike.failure ? alike.count + 1 : 1 }
      if (alike.count >= maxAlike) {
        return { stored: kept, stop: { reason: "FirstFailed", failure } }
      }
    }
    return inARow >= maxInARow
      ? { stored: kept, stop: { reason: "FailuresInARow", failure } }
      : { stored: kept }
  }
}
