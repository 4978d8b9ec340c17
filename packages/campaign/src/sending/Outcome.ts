/**
 * What the end of a request means for its row, and for the rows after it.
 */
import {
  documentedErrors,
  isDocumentedError,
  type SendEnd,
  type SendSmsError
} from "@messaging-topup/core"
import type { Row, Settlement } from "@messaging-topup/journal"
import * as Record from "effect/Record"
import type { StopReason } from "./CampaignEvent.ts"

interface Consequence {
  /** A retry of the row would fail in the same way. */
  readonly isFinal?: true
  /** Why the campaign must stop. */
  readonly stop?: StopReason
  /**
   * Present if the service is busy or unavailable. `retryAfterSeconds` comes from its `Retry-After`;
   * `isUnreachable`: there was no connection.
   */
  readonly slowDown?: { readonly retryAfterSeconds?: number; readonly isUnreachable?: true }
}

export interface RowEnd extends Pick<Consequence, "slowDown" | "stop"> {
  readonly settlement: Settlement
}

/** Returns the documented error that every further row would meet too, if this status is one. */
const stopOf = (status: number): StopReason | undefined =>
  Record.keys(documentedErrors).find(
    (tag) => documentedErrors[tag].status === status && documentedErrors[tag].concerns === "account"
  )

const slowDownStatuses = new Set([429, 503])

const stopping = (status: number): Consequence => {
  const stop = stopOf(status)
  return stop === undefined ? {} : { stop }
}

const consequenceOf = (error: SendSmsError): Consequence => {
  if (isDocumentedError(error)) {
    const isFinal = documentedErrors[error._tag].concerns === "request"
    return isFinal ? { isFinal } : stopping(error.status)
  }
  switch (error._tag) {
    case "InvalidInput":
      return { isFinal: true }
    case "InvalidResponse":
      return stopping(error.status)
    case "ConnectionFailed":
      return { slowDown: { isUnreachable: true } }
    case "UndocumentedStatus": {
      const { retryAfterSeconds, status } = error
      if (!slowDownStatuses.has(status)) return {}
      return { slowDown: retryAfterSeconds === undefined ? {} : { retryAfterSeconds } }
    }
    case "ConnectionLost":
    case "RequestTimedOut":
      return {}
  }
}

/** The error's name and status. The error's text could contain a phone number or an SMS text. */
const infoOf = (error: SendSmsError | undefined): string => {
  if (error === undefined) return "Interrupted"
  const status = "status" in error && error.status !== undefined ? ` ${error.status}` : ""
  return `${error._tag}${status}`
}

/**
 * What becomes of a row that did not go out. It did not fail, and is released, if the cause is outside:
 * the service refuses all rows or is busy, or the call was interrupted before its request started.
 */
const notSentAs = (
  { tries }: Row,
  { error }: SendEnd<unknown, unknown>,
  { isFinal, slowDown, stop }: Consequence,
  maxTries: number
): Settlement["outcome"] => {
  if (error === undefined || stop !== undefined || slowDown !== undefined) return "released"
  return isFinal === true || tries + 1 >= maxTries ? "rejected" : "not-sent"
}

export const endOf = (row: Row, end: SendEnd<unknown, unknown>, maxTries: number): RowEnd => {
  const { error, outcome, results } = end
  const [first] = results
  const consequence = error === undefined ? {} : consequenceOf(error)
  const { slowDown, stop } = consequence
  return {
    settlement: {
      id: row.id,
      outcome: outcome === "not-sent" ? notSentAs(row, end, consequence, maxTries) : outcome,
      ...(error === undefined && outcome === "sent" ? {} : { info: infoOf(error) }),
      ...(first === undefined ? {} : { message_id: first.message_id, status: first.status })
    },
    ...(stop === undefined ? {} : { stop }),
    ...(slowDown === undefined ? {} : { slowDown })
  }
}
