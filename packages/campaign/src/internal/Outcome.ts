/**
 * What the end of a request means for its row, and for the rows after it.
 */
import {
  sendOutcome,
  type SendOutcome,
  type SendSmsError,
  type SendSmsResponse
} from "@messaging-topup/core"
import type { Row, Settlement } from "@messaging-topup/journal"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { StopReason } from "../CampaignEvent.ts"

interface Consequence {
  /** A retry of the row would fail in the same way. */
  readonly isFinal?: true
  /** Why the campaign must stop. */
  readonly stop?: StopReason
  /** Present if the service is busy or unavailable. `retryAfterSeconds` comes from its `Retry-After`. */
  readonly slowDown?: { readonly retryAfterSeconds?: number }
}

export interface Ended extends Pick<Consequence, "slowDown" | "stop"> {
  readonly settlement: Settlement
}

const stops: Readonly<Record<number, StopReason>> = {
  401: "AuthenticationFailed",
  402: "PaymentRequired",
  403: "InsufficientPermissions"
}

const slowDownStatuses = new Set([429, 503])

const consequenceOf = (error: SendSmsError): Consequence => {
  switch (error._tag) {
    case "InvalidInput":
    case "InvalidRequest":
    case "NotFound":
      return { isFinal: true }
    case "AuthenticationFailed":
    case "PaymentRequired":
    case "InsufficientPermissions":
      return { stop: error._tag }
    case "InvalidResponse": {
      // The status alone decides: every further row would fail too.
      const stop = stops[error.status]
      return stop === undefined ? {} : { stop }
    }
    case "ConnectionFailed":
      return { slowDown: {} }
    case "UndocumentedStatus": {
      const { retryAfterSeconds, status } = error
      if (!slowDownStatuses.has(status)) return {}
      return { slowDown: retryAfterSeconds === undefined ? {} : { retryAfterSeconds } }
    }
    case "ConnectionLost":
    case "RequestTimedOut":
    case "InternalServerError":
      return {}
  }
}

/** The error's name and status. The error's text could contain a phone number or an SMS text. */
const infoOf = (error: SendSmsError): string => {
  const status = "status" in error && error.status !== undefined ? ` ${error.status}` : ""
  return `${error._tag}${status}`
}

const settledAs = (
  row: Row,
  outcome: SendOutcome,
  { isFinal, slowDown, stop }: Consequence,
  tries: number
): Settlement["outcome"] => {
  switch (outcome) {
    case "sent":
      return "sent"
    case "unknown":
      return "unknown"
    case "not-sent":
      if (stop !== undefined || slowDown !== undefined) return "released"
      return isFinal === true || row.tries + 1 >= tries ? "rejected" : "not-sent"
  }
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
    return { settlement: { id, outcome: "sent", ...known } }
  }
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (error === undefined) return { settlement: { id, outcome: "unknown", info: "Interrupted" } }
  const consequence = consequenceOf(error)
  const { slowDown, stop } = consequence
  return {
    settlement: {
      id,
      outcome: settledAs(row, sendOutcome(exit), consequence, tries),
      info: infoOf(error)
    },
    ...(stop === undefined ? {} : { stop }),
    ...(slowDown === undefined ? {} : { slowDown })
  }
}
