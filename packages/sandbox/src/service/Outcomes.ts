/**
 * The outcomes that the last digits of a fictional number (`+1555…`), of a message id or of a
 * reference code force: each is a fault that nobody has to set.
 */
import { documentedTitles, errorBody } from "../http/ErrorResponses.ts"
import { withoutSeparators } from "../kept/Messages.ts"
import type { Fault } from "../Types.ts"

/** One forced outcome. */
export interface ForcedOutcome {
  /** The last characters of the fictional number, message id or reference code. */
  readonly suffix: string
  /** A description of the response. */
  readonly response: string
  /** Whether an SMS to such a number is accepted. */
  readonly accepted: boolean
  /** What the request gets. */
  readonly fault: Fault
  /** Whether only the first SMS to a number gets it, of those that are kept. */
  readonly isOnce?: true
}

/** The service's error body with this status, also on an endpoint that does not document the status. */
export const forcedError = (
  status: number,
  suffix: string,
  more: { readonly title?: string; readonly headers?: Readonly<Record<string, string>> } = {}
): Fault => ({
  fault: "Response",
  status,
  body: JSON.stringify(errorBody(status, `Forced by the ending ${suffix}`, more.title)),
  ...(more.headers === undefined ? {} : { headers: more.headers })
})

const responding = (status: number, type: string, body: string): Fault => ({
  fault: "Response",
  status,
  headers: { "content-type": type },
  body
})

/** After these, a client waits before it sends again. */
const waits: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  429: { "retry-after": "1" }
}

const withErrorBody = (status: number, body: string): ForcedOutcome => {
  const headers = waits[status]
  return {
    suffix: `0${status}`,
    response: `${status} with ${body}`,
    accepted: false,
    fault: forcedError(status, `0${status}`, headers === undefined ? {} : { headers })
  }
}

/** The outcomes that are not those of a documented status. */
const others: ReadonlyArray<ForcedOutcome> = [
  withErrorBody(429, "`Retry-After: 1`, which is not documented"),
  {
    suffix: "0418",
    response: "418 as plain text, which is not documented",
    accepted: false,
    fault: responding(418, "text/plain", "I'm a teapot")
  },
  {
    suffix: "0502",
    response: "502 as HTML, as a proxy responds",
    accepted: false,
    fault: responding(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>")
  },
  {
    suffix: "0900",
    response: "The connection is reset before any response",
    accepted: true,
    fault: { fault: "ResetAfterAcceptance" }
  },
  {
    suffix: "0901",
    response: "Success after 2 seconds",
    accepted: true,
    fault: { fault: "Slow", seconds: 2 }
  },
  {
    suffix: "0902",
    response: "The success status with a body of broken JSON",
    accepted: true,
    fault: { fault: "TruncatedJson" }
  },
  {
    suffix: "0903",
    response: "The success status and headers, then silence without end",
    accepted: true,
    fault: { fault: "HeadersThenSilence" }
  },
  {
    suffix: "0905",
    response: "As `0900`, for the first SMS to the number only, and for each read",
    accepted: true,
    fault: { fault: "ResetAfterAcceptance" },
    isOnce: true
  },
  {
    suffix: "0904",
    response: "202 without a body, as of a firewall that holds the request back",
    accepted: false,
    fault: responding(202, "text/plain", "")
  }
]

/** The outcomes where these error statuses are documented. Each of them wins over another outcome with its suffix. */
export const outcomesOf = (statuses: ReadonlyArray<number>): ReadonlyArray<ForcedOutcome> => {
  const documented = statuses.map((status) => withErrorBody(status, "the documented error body"))
  const isTaken = new Set(documented.map(({ suffix }) => suffix))
  return [...documented, ...others.filter(({ suffix }) => !isTaken.has(suffix))]
}

/**
 * The forced outcomes. They need no configuration: an SMS to `+15550000402` gets 402, and a read of
 * message `x0404` gets 404. Every other recipient is accepted, whatever its ending.
 *
 * `listDataBundles` has no input that could end in a suffix.
 */
export const forcedOutcomes: ReadonlyArray<ForcedOutcome> = outcomesOf(
  Object.keys(documentedTitles).map(Number)
)

/** Returns the outcome that the end of an id, a reference code or a fictional number forces. */
export const outcomeOfEnding = (value: string): ForcedOutcome | undefined =>
  forcedOutcomes.find(({ suffix }) => value.endsWith(suffix))

/**
 * Returns the outcome that is forced for an SMS to this recipient; `undefined` if none is. Only a
 * fictional number (`+1555…`) forces one: a list of real numbers must not meet it. Without the plus,
 * the country is not known.
 */
export const forcedOutcomeOf = (recipient: string): ForcedOutcome | undefined => {
  const number = withoutSeparators(recipient)
  return /^\+1555\d*$/.test(number) ? outcomeOfEnding(number) : undefined
}
