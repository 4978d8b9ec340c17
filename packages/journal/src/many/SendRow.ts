/** Sends one row, and says what the end of its request means for it and for the rows after it. */
import {
  documentedErrors,
  isDocumentedError,
  type MessagingTopup,
  type SendSmsError,
  type SendSmsRequest
} from "@messaging-topup/core"
import { type Performed, perform } from "../sends/OneSend.ts"
import { reasonOf } from "../sends/StoredOutcome.ts"
import type { StoredOutcome } from "../model/Send.ts"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { AccountError, StopReason } from "../model/Campaign.ts"

interface Consequence {
  /** Why the run must stop. */
  readonly stop?: StopReason
  /**
   * Present if the service is busy or unavailable. `retryAfterSeconds` comes from its `Retry-After`;
   * `isUnreachable`: there was no connection.
   */
  readonly slowDown?: { readonly retryAfterSeconds?: number; readonly isUnreachable?: true }
  /** The service refused a value of this row. It says nothing about the settings. */
  readonly isAboutRow?: true
  /** A complete response of acceptance that accepted nobody, such as that of a firewall. */
  readonly acceptedNobody?: true
}

export interface RowEnd extends Consequence {
  readonly stored: StoredOutcome
  /** The error's name and status. Absent if the SMS was sent, or if its request did not start. */
  readonly failure?: string
}

const slowDownStatuses = new Set([429, 503])

/** Stops at a documented error that every further row would meet too, if this status is one. */
const stopping = (status: number): Consequence => {
  const stop = Record.keys(documentedErrors).find(
    (tag): tag is AccountError =>
      documentedErrors[tag].status === status && documentedErrors[tag].concerns === "account"
  )
  return stop === undefined ? {} : { stop }
}

const accepted = 202

const consequenceOf = (error: SendSmsError): Consequence => {
  if (error._tag === "InvalidRequest") return { isAboutRow: true }
  if (isDocumentedError(error)) return stopping(error.status)
  switch (error._tag) {
    case "InvalidResponse": {
      const { isAccepted, status } = error
      return status === accepted && isAccepted !== true
        ? { acceptedNobody: true }
        : stopping(status)
    }
    case "ConnectionFailed":
      return { slowDown: { isUnreachable: true } }
    case "UndocumentedStatus": {
      const { retryAfterSeconds, status } = error
      if (!slowDownStatuses.has(status)) return {}
      return { slowDown: retryAfterSeconds === undefined ? {} : { retryAfterSeconds } }
    }
    case "InvalidInput":
    case "ConnectionLost":
    case "RequestTimedOut":
      return {}
  }
}

const rowEndOf = ({ end: { error }, stored }: Performed): RowEnd => {
  if (error === undefined && stored.outcome !== "unknown") return { stored }
  return { stored, failure: reasonOf(error), ...(error === undefined ? {} : consequenceOf(error)) }
}

/** Sends one SMS. Asks `mayStart` when the request is about to start. */
export const send = (
  request: SendSmsRequest,
  mayStart: () => boolean
): Effect.Effect<RowEnd, never, MessagingTopup> => Effect.map(perform(request, mayStart), rowEndOf)
