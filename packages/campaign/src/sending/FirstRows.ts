/**
 * The first rows of a process, until the service has accepted one. If they all fail in the same way, a
 * setting is wrong, such as the service's address, and not the rows.
 */
import type { Row } from "@messaging-topup/journal"
import type { RowEnd } from "./Outcome.ts"

/** So many failures of one kind mean that no row would be accepted. */
export const maxAlike = 5

export interface FirstRows {
  /**
   * Returns how many rows in a row, up to this one, failed in the same way before any was accepted; 0 if
   * the failure says nothing about the other rows.
   */
  readonly failedAlike: (row: Row, end: RowEnd) => number
}

export const make = (): FirstRows => {
  let wasAccepted = false
  let info: string | undefined
  let count = 0
  return {
    failedAlike: (row, { settlement, slowDown, stop }) => {
      if (settlement.outcome === "sent") wasAccepted = true
      // If it failed like this before, a person has resumed the campaign since: then the row is wrong.
      const isKnown = row.info === settlement.info
      const isFailure = settlement.outcome !== "sent" && settlement.outcome !== "released"
      if (wasAccepted || !isFailure || isKnown || slowDown !== undefined || stop !== undefined) {
        count = 0
      } else {
        count = settlement.info === info ? count + 1 : 1
        info = settlement.info
      }
      return count
    }
  }
}
