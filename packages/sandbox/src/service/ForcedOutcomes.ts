/**
 * The outcomes that the last digits of a fictional number (`+1555…`), of a message id or of a
 * reference code force.
 */
import type { Fault } from "../faults/Fault.ts"
import { documentedTitles } from "../http/ErrorResponses.ts"

interface Row {
  /** The last characters of the fictional number, message id or reference code. */
  readonly suffix: string
  /** A description of the response. */
  readonly response: string
  /** Whether an SMS to such a number is accepted. */
  readonly accepted: boolean
}

/**
 * One forced outcome.
 *
 * - `ErrorBody`: the service's error body with this status, also on an endpoint that does not document the
 *   status.
 * - `Response`: a response that no endpoint documents.
 * - `Delay`: the documented success, after a delay.
 * - `Fault`: the documented success, with that fault.
 */
export type ForcedOutcome = Row &
  (
    | {
        readonly _tag: "ErrorBody"
        readonly status: number
        readonly headers?: Readonly<Record<string, string>>
      }
    | {
        readonly _tag: "Response"
        readonly status: number
        readonly contentType: string
        readonly body: string
      }
    | { readonly _tag: "Delay"; readonly seconds: number }
    | { readonly _tag: "Fault"; readonly fault: Fault }
  )

const documented = (status: number): ForcedOutcome => ({
  _tag: "ErrorBody",
  suffix: `0${status}`,
  response: `${status} with the documented error body`,
  accepted: false,
  status
})

/**
 * The forced outcomes. They need no configuration: an SMS to `+15550000402` gets 402, and a read of
 * message `x0404` gets 404. An SMS to a number that does not start with `+1555` is accepted, whatever
 * its ending.
 *
 * `listDataBundles` has no input that could end in a suffix.
 */
export const forcedOutcomes: ReadonlyArray<ForcedOutcome> = [
  ...Object.keys(documentedTitles).map(Number).map(documented),
  {
    _tag: "ErrorBody",
    suffix: "0429",
    response: "429 with `Retry-After: 1`, which is not documented",
    accepted: false,
    status: 429,
    headers: { "retry-after": "1" }
  },
  {
    _tag: "Response",
    suffix: "0418",
    response: "418 as plain text, which is not documented",
    accepted: false,
    status: 418,
    contentType: "text/plain",
    body: "I'm a teapot"
  },
  {
    _tag: "Response",
    suffix: "0502",
    response: "502 as HTML, as a proxy responds",
    accepted: false,
    status: 502,
    contentType: "text/html",
    body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"
  },
  {
    _tag: "Fault",
    suffix: "0900",
    response: "The connection is reset before any response",
    accepted: true,
    fault: { fault: "ResetAfterAcceptance" }
  },
  {
    _tag: "Delay",
    suffix: "0901",
    response: "Success after 2 seconds",
    accepted: true,
    seconds: 2
  },
  {
    _tag: "Fault",
    suffix: "0902",
    response: "The success status with a body of broken JSON",
    accepted: true,
    fault: { fault: "TruncatedJson" }
  },
  {
    _tag: "Fault",
    suffix: "0903",
    response: "The success status and headers, then silence",
    accepted: true,
    fault: { fault: "HeadersThenSilence" }
  }
]

/** Returns the outcome that the end of an id, a reference code or a fictional number forces. */
export const outcomeOfEnding = (value: string): ForcedOutcome | undefined =>
  forcedOutcomes.find(({ suffix }) => value.endsWith(suffix))

/** White space, and characters that people put between the digits of a number. */
const separators = /[\s().\-\u2010-\u2015]/gu

/**
 * Returns a fictional number (`+1555…`) without separators, and an empty text for all others: a list
 * of real numbers must not meet a forced outcome. Without the plus, the country is not known.
 */
export const fictionalNumber = (recipient: string): string => {
  const number = recipient.replace(separators, "")
  return /^\+1555\d*$/.test(number) ? number : ""
}

/** Returns the outcome that is forced for an SMS to this recipient; `undefined` if none is. */
export const forcedOutcomeOf = (recipient: string): ForcedOutcome | undefined =>
  outcomeOfEnding(fictionalNumber(recipient))
