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
  type SendOutcome,
  type SendSmsError,
  type UndocumentedStatus
} from "@messaging-topup/core"
import type { SentNow, Standing } from "@messaging-topup/journal/internal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Refusal } from "./Refusal.ts"
import {
  alsoSent,
  besides,
  type Consent,
  detailsToDecide,
  outcomeOf,
  sentFirst,
  unknownAdvice,
  wentOut,
  whoSays
} from "./Standing.ts"
import { plural, sentences } from "../Sentences.ts"

/** The variables that the address of the service and its token were read from: with `_FILE`, they name files. */
export interface Sources {
  readonly address: string
  readonly token: string
}

export const usualSources = {
  address: "MESSAGING_TOPUP_BASE_URL",
  token: "MESSAGING_TOPUP_TOKEN"
}

/** The variable that a setting of the service was read from. */
export const sourceOf = ({ address, token }: Sources, variable: string): string => {
  if (variable === usualSources.address) return address
  return variable === usualSources.token ? token : variable
}

export const ReadFrom = Context.Reference<Sources>("@messaging-topup/mcp-server/ReadFrom", {
  defaultValue: () => usualSources
})

type ServiceError = InstanceType<DocumentedErrorClass> | ClientFailure

const operator = (setting: string): string =>
  `Calling again does not help: the person who runs this server has to check ${setting}.`

export const waitAMinute = "Wait a minute, then call again."

const checkArguments = "Check every argument with the person, and do not guess another value."

const payUp =
  "Calling again does not help until the account with the service is paid up: tell the person. If it was paid, the service may not know it yet, or this server uses another account."

/** What happened, what may help, and the variable that the operator may have to check. */
type Told = readonly [cause: string, remedy: string, variable?: string]

/** Only the operator can tell a wrong address from a service that fails. */
const ifNew = (variable: string): string =>
  `If the settings of this server are new, the person who runs it has to check ${variable}.`

/** Another server than the service may have responded, or none. */
const perhapsElsewhere = (cause: string, remedy: string, { address }: Sources): Told => [
  cause,
  sentences(remedy, ifNew(address)),
  address
]

/** What happened, with the title in the service description: the response could say anything. */
const ofDocumented = (
  { _tag: tag, operation }: InstanceType<DocumentedErrorClass>,
  sources: Sources,
  ofRequest: string
): Told => {
  const { concerns, status, title, titles } = documentedErrors[tag]
  const cause = `The service responded with HTTP ${status}, by its description ${titles?.[operation] ?? title}.`
  if (tag === "NotFound") return perhapsElsewhere(cause, ofRequest, sources)
  if (tag === "PaymentRequired") return [cause, payUp]
  const { token } = sources
  return concerns === "account"
    ? [cause, operator(`${token} and the rights of its account`), token]
    : [cause, concerns === "request" ? ofRequest : waitAMinute]
}

/** The advice follows the meaning in HTTP of a status that the service description does not name. */
const ofUndocumented = (
  { retryAfterSeconds, status }: UndocumentedStatus,
  { address, token }: Sources
): Told => {
  const what =
    status === 429
      ? "The service accepts no more requests at the moment (HTTP 429)."
      : `The service responded with HTTP ${status}, which its description does not name for this.`
  if (retryAfterSeconds !== undefined) {
    return [what, `Wait ${plural(retryAfterSeconds, "second")}, then call again.`]
  }
  const isTemporary = status === 408 || status === 429 || status >= 500
  return isTemporary
    ? [what, waitAMinute]
    : [
        what,
        operator(`${address} and ${token}`),
        status === 401 || status === 403 ? token : address
      ]
}

/** `ofRequest` is what may help where the service does not accept what was asked. */
const told = (error: ServiceError, sources: Sources, ofRequest = checkArguments): Told => {
  if (isDocumentedError(error)) return ofDocumented(error, sources, ofRequest)
  switch (error._tag) {
    case "InvalidInput":
      return [`${error.field} cannot be sent: ${error.problem}.`, "Correct it and call again."]
    case "ConnectionFailed":
      return perhapsElsewhere("The service could not be reached.", waitAMinute, sources)
    case "ConnectionLost":
      return ["The connection to the service broke off.", waitAMinute]
    case "RequestTimedOut":
      return error.started
        ? ["The service did not respond in time.", waitAMinute]
        : perhapsElsewhere("There was no connection to the service in time.", waitAMinute, sources)
    case "UndocumentedStatus":
      return ofUndocumented(error, sources)
    case "InvalidResponse":
      return perhapsElsewhere(
        `The service responded with HTTP ${error.status} and a body that does not fit its description.`,
        waitAMinute,
        sources
      )
  }
}

const details = (error: ServiceError, variable: string | undefined) => ({
  error: error._tag,
  variable,
  http_status: "status" in error ? error.status : undefined,
  field: "field" in error ? error.field : undefined,
  retry_after_seconds: "retryAfterSeconds" in error ? error.retryAfterSeconds : undefined
})

/** Fails with a refusal. `what` names what is read, such as "SMS status". */
export const reading =
  (what: string, ofRequest?: string) =>
  <A, R>(read: Effect.Effect<A, ServiceError, R>): Effect.Effect<A, Refusal, R> =>
    Effect.catch(read, (error) =>
      Effect.flatMap(ReadFrom, (sources) => {
        const [cause, next, variable] = told(error, sources, ofRequest)
        return new Refusal({
          code: "read_failed",
          what: `The ${what} could not be read. ${cause}`,
          next,
          details: details(error, variable)
        })
      })
    )

/** Counts what is unknown with this send: a person who accepted a second SMS may get a third. */
const happened = (outcome: SendOutcome, standing: Standing) => {
  const { send, state } = standing
  const isNotSent = outcome === "not-sent"
  const unknown = standing.unknown.length
  if (state === "sent" && send !== undefined) {
    const earlier = `${whoSays(send, "an earlier one")}.`
    return sentences(
      isNotSent
        ? `This send of the SMS did not go out; ${earlier}`
        : `It is unknown whether this send of the SMS went out; ${earlier}`,
      alsoSent(besides(standing, send))
    )
  }
  const others = alsoSent(wentOut(standing))
  if (unknown === 0 && others !== "") {
    return isNotSent
      ? `This send of the SMS did not go out. ${others}`
      : `It is unknown whether this send of the SMS went out. ${others}`
  }
  if (unknown === 0) {
    return isNotSent ? "The SMS was not sent." : "It is unknown whether the SMS was sent."
  }
  return sentences(
    isNotSent
      ? `It is still unknown whether the SMS was sent: this send did not go out, and ${unknown === 1 ? "an earlier one" : `${unknown} earlier ones`} may have.`
      : `It is unknown whether the SMS was sent: ${unknown + 1} sends of it may have gone out.`,
    others
  )
}

export const failedSend = (
  error: SendSmsError,
  outcome: Exclude<SendOutcome, "sent">,
  { claim, standing, stored }: SentNow,
  { approvedBy, ...deciders }: Consent,
  sources: Sources
): Refusal => {
  const [cause, remedy, variable] = told(
    error,
    sources,
    `${checkArguments} The same call probably fails again.`
  )
  const { send, state, unknown } = standing
  // After a resend that did not go out, the outcome of the first send stays unknown.
  const failure = state === "unknown" ? "resend_failed" : "send_failed"
  const code = outcome === "unknown" ? "send_unknown" : failure
  const known = outcomeOf([standing])
  return new Refusal({
    code,
    outcome: outcome === "unknown" ? outcome : known,
    what: `${happened(outcome, standing)} ${cause}`,
    next:
      code === "send_failed"
        ? remedy
        : sentences(unknownAdvice(deciders), variable === undefined ? "" : ifNew(variable)),
    // What the journal keeps nothing of is not the fault of this SMS.
    concernsAll: stored.state === "nothing",
    details: {
      approved_by: approvedBy,
      ...details(error, variable),
      ...detailsToDecide(
        deciders.canDecide,
        outcome === "unknown" ? [claim.id, ...unknown] : unknown
      ),
      ...sentFirst(state === "sent" ? send : undefined)
    }
  })
}
