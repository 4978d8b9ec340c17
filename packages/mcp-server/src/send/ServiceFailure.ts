/**
 * The failures of the service, in texts that a model can act on.
 *
 * No text of the service is repeated: it could contain anything, even an instruction to the model.
 */
import {
  type ClientFailure,
  type DocumentedErrorClass,
  documentedErrors,
  isDocumentedError,
  type SendSmsError,
  type UndocumentedStatus
} from "@messaging-topup/core"
import * as Record from "effect/Record"
import type { ApprovedBy } from "./Approval.ts"
import { type FailedOutcome, Refusal } from "./Refusal.ts"
import { unknownAdvice } from "./Refusals.ts"
import { isoOf, plural } from "./Text.ts"

type ServiceError = InstanceType<DocumentedErrorClass> | ClientFailure

const cause = (error: ServiceError): string => {
  if (isDocumentedError(error)) {
    // The title in the service description; the response could say anything.
    const { status, title } = documentedErrors[error._tag]
    return `The service responded with "${title}" (HTTP ${status}).`
  }
  switch (error._tag) {
    case "InvalidInput":
      return `${error.field} cannot be sent: ${error.problem}.`
    case "ConnectionFailed":
      return "The service could not be reached."
    case "ConnectionLost":
      return "The connection to the service broke off."
    case "RequestTimedOut":
      return error.started
        ? "The service did not respond in time."
        : "There was no connection to the service in time."
    case "UndocumentedStatus":
      return error.status === 429
        ? "The service accepts no more requests at the moment (HTTP 429)."
        : `The service responded with HTTP ${error.status}, which its description does not name for this.`
    case "InvalidResponse":
      return `The service responded with HTTP ${error.status} and a body that does not fit its description.`
  }
}

const operator = (setting: string): string =>
  `Calling again does not help: the person who runs this server has to check ${setting}.`

const waitAMinute = "Wait a minute, then call again."

/** Advises by the meaning in HTTP of a status that the service description does not name. */
const undocumentedRemedy = ({ retryAfterSeconds, status }: UndocumentedStatus): string => {
  if (retryAfterSeconds !== undefined)
    return `Wait ${plural(retryAfterSeconds, "second")}, then call again.`
  return status === 408 || status === 429 || status >= 500
    ? waitAMinute
    : operator("MESSAGING_TOPUP_BASE_URL and MESSAGING_TOPUP_TOKEN")
}

const payUp =
  "Calling again does not help until the account with the service is paid up: tell the person. If it was paid, the service may not know it yet, or it was another account than that of MESSAGING_TOPUP_TOKEN."

const documentedRemedy = (tag: keyof typeof documentedErrors): string => {
  switch (documentedErrors[tag].concerns) {
    case "request":
      return "Check every argument with the person, and do not guess another value."
    case "account":
      return tag === "PaymentRequired"
        ? payUp
        : operator("MESSAGING_TOPUP_TOKEN and the rights of its account")
    case "service":
      return waitAMinute
  }
}

const remedy = (error: ServiceError): string => {
  if (isDocumentedError(error)) return documentedRemedy(error._tag)
  switch (error._tag) {
    case "InvalidInput":
      return "Correct it and call again."
    case "UndocumentedStatus":
      return undocumentedRemedy(error)
    case "ConnectionFailed":
    case "ConnectionLost":
    case "RequestTimedOut":
    case "InvalidResponse":
      return waitAMinute
  }
}

const details = (error: ServiceError): Record<string, string | number> => ({
  error: error._tag,
  ...("status" in error && error.status !== undefined ? { http_status: error.status } : {}),
  ...("field" in error ? { field: error.field } : {}),
  ...("retryAfterSeconds" in error && error.retryAfterSeconds !== undefined
    ? { retry_after_seconds: error.retryAfterSeconds }
    : {})
})

/** `what` names what could not be read, such as "SMS status". */
export const failedRead =
  (what: string) =>
  (error: ServiceError): Refusal =>
    new Refusal({
      code: "read_failed",
      what: `The ${what} could not be read. ${cause(error)}`,
      next: remedy(error),
      details: details(error)
    })

/** What the text of a failed send depends on. */
interface FailedSend {
  readonly approvedBy: ApprovedBy
  /** Whether an earlier send of it is unknown, which was sent again with this one. */
  readonly isResend: boolean
  /** The first copy, which went out, if this send was a second one. */
  readonly first: { readonly at: number; readonly results: Refusal["results"] } | undefined
  readonly canBeAsked: boolean
}

const happened = (outcome: FailedOutcome, { first, isResend }: FailedSend) => {
  const isNotSent = outcome === "not-sent"
  if (first !== undefined) {
    return isNotSent
      ? "The second copy was not sent; the first one was, at first_sent_at."
      : "It is unknown whether the second copy was sent; the first one was, at first_sent_at."
  }
  if (!isNotSent) return "It is unknown whether the SMS was sent."
  return isResend
    ? "It is still unknown whether the SMS was sent: the second send did not go out, and the outcome of the first one is unknown."
    : "The SMS was not sent."
}

export const failedSend = (
  error: SendSmsError,
  outcome: FailedOutcome,
  send: FailedSend
): Refusal => {
  const { approvedBy, canBeAsked, first, isResend } = send
  // After a resend that did not go out, the outcome of the first send stays unknown.
  const failure = isResend && first === undefined ? "resend_failed" : "send_failed"
  const code = outcome === "unknown" ? "send_unknown" : failure
  const results = first?.results
  return new Refusal({
    code,
    what: `${happened(outcome, send)} ${cause(error)}`,
    next: code === "send_failed" ? remedy(error) : unknownAdvice(canBeAsked),
    details: {
      approved_by: approvedBy,
      ...details(error),
      ...(first === undefined ? {} : { first_sent_at: isoOf(first.at) })
    },
    ...(results === undefined ? {} : { results })
  })
}

/** The errors that concern one SMS. After any other error, all others would fail too. */
const errorsOfOne = new Set<unknown>([
  "InvalidInput",
  ...Record.keys(documentedErrors).filter((tag) => documentedErrors[tag].concerns === "request")
])

/** The codes of refusals that say nothing about other SMS. */
const codesOfOne: ReadonlySet<Refusal["code"]> = new Set([
  "send_unknown",
  "in_flight",
  "in_flight_elsewhere",
  "unknown_not_resent",
  "not_sent_elsewhere",
  "closed_by_person",
  "cancelled",
  "resend_failed"
])

/** Whether the failure of one SMS says nothing about others. */
export const concernsOne = (refusal: Refusal): boolean =>
  refusal.code === "send_failed"
    ? errorsOfOne.has(refusal.details?.["error"])
    : codesOfOne.has(refusal.code)
