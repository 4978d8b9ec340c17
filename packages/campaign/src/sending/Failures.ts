/**
 * Which failures stop a run.
 */
import type { RowEnd } from "./Outcome.ts"
import type { Stop } from "./SendManyEvent.ts"

/** So many failures of one kind, before any SMS was accepted, mean that a setting is wrong. */
const maxAlike = 5

/** If the service breaks in the middle, more rows would become unknown. */
const maxInARow = 100

interface Verdict {
  readonly stop?: Stop
  /** The cause may be a setting, such as the service's address, and not the row. */
  readonly isInDoubt: boolean
}

/** Returns what counts an end. `before` is how the row failed the last time, if it did. */
export const makeCount = () => {
  let wasAccepted = false
  let inARow = 0
  let alike: { readonly failure: string | undefined; readonly count: number } = {
    failure: undefined,
    count: 0
  }
  return ({ ending, failure, slowDown, stop }: RowEnd, before: string | undefined): Verdict => {
    if (ending.outcome === "sent") {
      wasAccepted = true
      inARow = 0
    }
    const because = failure === undefined ? {} : { failure }
    if (stop !== undefined) return { stop: { reason: stop, ...because }, isInDoubt: true }
    // If the service is busy or unavailable, the run waits and does not stop.
    if (failure === undefined || slowDown !== undefined) return { isInDoubt: false }
    inARow++
    // If the row failed like this before, a person has run it again since: then the row is wrong.
    const saysSomething = !wasAccepted && failure !== before
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
