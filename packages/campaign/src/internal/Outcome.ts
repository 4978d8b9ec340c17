/**
 * What the end of a request means for its row, and for the rows after it.
 */
import { sendOutcome, type SendSmsError, type SendSmsResponse } from "@messaging-topup/core"
import type { Row, Settlement } from "@messaging-topup/journal"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { StopReason } from "../CampaignEvent.ts"

export interface Ended {
  readonly settlement: Settlement
  /** Why the campaign must stop. */
  readonly stop?: StopReason
  /** Present if the service is busy or unavailable. `retryAfterSeconds` comes from its `Retry-After`. */
  readonly slowDown?: { readonly retryAfterSeconds?: number }
}

/** Whether the error is the row's own: a retry would get the same response. */
const isFinal = (error: SendSmsError): boolean =>
  error._tag === "InvalidInput" || error._tag === "InvalidRequest" || error._tag === "NotFound"

const stops = {
  401: "AuthenticationFailed",
  402: "PaymentRequired",
  403: "InsufficientPermissions"
} as const satisfies Readonly<Record<number, StopReason>>

/**
 * Depends on the status alone, even if the body is not as documented: every further row would fail too.
 */
const stopOf = (error: SendSmsError): StopReason | undefined => {
  const { _tag } = error
  if (
    _tag === "InvalidResponse" &&
    (error.status === 401 || error.status === 402 || error.status === 403)
  ) {
    return stops[error.status]
  }
  return Object.values(stops).find((reason) => reason === _tag)
}

const slowDownOf = (error: SendSmsError): Ended["slowDown"] => {
  if (error._tag === "ConnectionFailed") return {}
  if (error._tag !== "UndocumentedStatus") return undefined
  const { retryAfterSeconds, status } = error
  if (status !== 429 && status !== 503) return undefined
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
}

/** The error's name and status. The error's text could contain a phone number or an SMS text. */
const infoOf = (error: SendSmsError): string => {
  const status = "status" in error && error.status !== undefined ? ` ${error.status}` : ""
  return `${error._tag}${status}`
}

const notSent = (row: Row, error: SendSmsError, tries: number): Settlement["outcome"] => {
  if (stopOf(error) !== undefined || slowDownOf(error) !== undefined) return "released"
  return isFinal(error) || row.tries + 1 >= tries ? "rejected" : "not-sent"
}

export const endOf = (
  row: Row,
  exit: Exit.Exit<SendSmsResponse, SendSmsError>,
  tries: number
): Ended => {
  const { id } = row
  if (Exit.isSuccess(exit)) {
    const [first] = exit.value.data
    const known = first && { message_id: first.message_id, status: first.status }
    return { settlement: { id, outcome: "accepted", ...known } }
  }
  const outcome = sendOutcome(exit)
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return { settlement: { id, outcome: "unknown", info: "Interrupted" } }
  const stop = stopOf(error)
  const slowDown = slowDownOf(error)
  return {
    settlement: {
      id,
      outcome:
        outcome === "not-sent"
          ? notSent(row, error, tries)
          : outcome === "sent"
            ? "accepted"
            : "unknown",
      info: infoOf(error)
    },
    ...(stop === undefined ? {} : { stop }),
    ...(slowDown === undefined ? {} : { slowDown })
  }
}
