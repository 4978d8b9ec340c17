/** Sends one row, and says what the end of its request means for it and for the rows after it. */
import {
  documentedErrors,
  isDocumentedError,
  type MessagingTopup,
  type SendSmsError,
  type SendSmsRequest
} from "@messaging-topup/core"
import { acceptedStatus } from "@messaging-topup/core/internal/errors"
import { type Performed, perform } from "../sends/OneSend.ts"
import { reasonOf } from "../sends/StoredEnd.ts"
import type { StoredEnd } from "../model/Send.ts"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { AccountError, StopReason } from "../model/Campaign.ts"

/** What the end of one request says, of its row and of the rows after it. */
export interface RowEnd {
  readonly stored: StoredEnd
  /** The error's name and status. Absent if the SMS was sent, or if its request did not start. */
  readonly failure?: string
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

const slowDownStatuses = new Set([429, 503])

/** Stops at a documented error that every further row would meet too, if this status is one. */
const stopping = (status: number): Partial<RowEnd> => {
  const stop = Record.keys(documentedErrors).find(
    (tag): tag is AccountError =>
      documentedErrors[tag].status === status && documentedErrors[tag].concerns === "account"
  )
  return stop === undefined ? {} : { stop }
}

const saidBy = (error: SendSmsError): Partial<RowEnd> => {
  if (error._tag === "InvalidRequest") return { isAboutRow: true }
  if (isDocumentedError(error)) return stopping(error.status)
  switch (error._tag) {
    case "InvalidResponse": {
      const { isAccepted, status } = error
      return status === acceptedStatus && isAccepted !== true
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
  if (error === undefined && stored.state !== "unknown") return { stored }
  return { ...(error === undefined ? {} : saidBy(error)), stored, failure: reasonOf(error) }
}

/** Sends one SMS. Asks `mayStart` when the request is about to start. */
export const send = (
  request: SendSmsRequest,
  mayStart: () => boolean
): Effect.Effect<RowEnd, never, MessagingTopup> => Effect.map(perform(request, mayStart), rowEndOf)
