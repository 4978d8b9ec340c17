/**
 * The base of every public error: our own message, whether the SMS went out, and a rendering without the
 * service's own text. That text can repeat a phone number, an id or even the token, and an unreadable
 * response can contain anything: a program may read it, but a logger must not print it by default.
 *
 * This folder imports nothing of Effect, because the declarations of the promise client refer to it.
 */
/**
 * Whether an SMS went out.
 *
 * - `"not-sent"`: the SMS did not go out. It is safe to send it again.
 * - `"unknown"`: the SMS may have gone out, and the service offers no way to find out. This library never
 *   resends it; a person decides.
 * - `"sent"`: the service accepted the SMS. Do not send it again.
 */
export type SendOutcome = "not-sent" | "unknown" | "sent"

const advice: Readonly<Record<SendOutcome, string>> = {
  "not-sent": ". Nothing was sent",
  unknown:
    ". The SMS may have gone out: do not send it again before a person asks the recipient, and decides",
  sent: ". The SMS was accepted: do not send it again"
}

/** The status of a response that accepts an SMS. */
export const acceptedStatus = 202

/** Where an access token is, for who has to check it: the variable may hold that of another account. */
export const whereTokenIs = "MESSAGING_TOPUP_TOKEN, unless another variable or an option gave it"

/** The beginning of `problem` for a setting that is missing. */
export const notSet = "is not set"

/** The `problem` of a field that is missing. */
export const missing = "is missing"

/** The `problem` of a text that would arrive as another one, or not at all. */
export const illFormed = "Expected text without lone surrogates"

/** The `problem` of what throws when it is read: it has a getter, or is a proxy. */
export const unreadable = "Expected values that can be read"

/** Says what is wrong with a field or a setting. A problem can be a predicate, such as `is missing`. */
export const problemOf = (name: string, problem: string, before = ""): string =>
  /^(is|cannot) /.test(problem) ? `${name} ${problem}` : `${before}${name}: ${problem}`

/** The operation of a call. */
export interface OfCall {
  /** The operation that failed, such as `sendSms`. */
  readonly operation: string
}

/** A call whose response is not complete. */
export interface OfBrokenResponse extends OfCall {
  /** The HTTP status, if the response had begun: the service accepted a send with status 202. */
  readonly status?: number
}

/** The outcome of a send whose response is not complete. */
export const outcomeOfBroken = ({
  started = true,
  status
}: OfBrokenResponse & { readonly started?: boolean }): SendOutcome => {
  if (!started) return "not-sent"
  return status === acceptedStatus ? "sent" : "unknown"
}

/** What every error of this package has. */
export interface Failure<Tag extends string = string> extends Error, Partial<OfCall> {
  readonly _tag: Tag
  /** Whether the SMS went out. Only an error of an operation that sends has it. */
  readonly sendOutcome?: SendOutcome
  /**
   * The response, if one began: its headers, with names in lower case. One of them may be the request id for which
   * support asks, if your service sends one. Printing the error does not show it, and no encoding keeps it.
   */
  readonly response?: { readonly headers: Readonly<Record<string, string>> }
  /** Without the fields that are hidden. */
  readonly toJSON: () => object
}

interface Definition<Fields, Hidden extends keyof Fields> {
  /** What happened, then what to do. */
  readonly message: (fields: Fields) => string
  /** Whether the SMS went out, if the operation sends one. */
  readonly outcome?: (fields: Fields) => SendOutcome
  /** A field that can be read, but that no rendering shows, and what is in it if it is not given. */
  readonly hidden?: { readonly [Name in Hidden]: Fields[Name] }
  /** Defaults to the tag. */
  readonly name?: string
}

const retryableStatuses = new Set([429, 500, 502, 503, 504])

/**
 * Returns whether the same request may end otherwise the next time, for the retries of a call and for those of a
 * program. That does not say whether the first one went out.
 */
export const isRetryable = (error: {
  readonly _tag: string
  readonly status?: number | undefined
}): boolean => {
  switch (error._tag) {
    case "ConnectionFailed":
    case "ConnectionLost":
    case "RequestTimedOut":
      return true
    case "InvalidResponse":
      return false
    default:
      return error.status !== undefined && retryableStatuses.has(error.status)
  }
}

/** The operations that send one SMS. */
const sends: ReadonlySet<string | undefined> = new Set(["sendOnce", "sendSms"])

/** After an unknown outcome, the same `sendOnce` is safe: the journal knows its key. */
const isRepeatable = ({ operation }: Partial<OfCall>, outcome: SendOutcome): boolean =>
  operation === "sendOnce" && outcome === "unknown"

/**
 * Marks the errors, of every copy of this package in a program: their outcomes mean the same. A copy of an error, as
 * of `structuredClone`, is none.
 */
const mark = Symbol.for("@messaging-topup/core/errors")

/** Returns whether a value is an instance of an error class of this package. */
export const isFailure = (value: unknown): value is Failure =>
  typeof value === "object" && value !== null && mark in value

/**
 * Returns whether the same SMS may be sent again after this error of a send: it did not go out, and the next one may
 * succeed. That is so after `ConnectionFailed`, `RequestTimedOut` with `started: false`, and `UndocumentedStatus` 429,
 * whose `retryAfterSeconds` says how long to wait. Retry this send alone: around several, what went out before goes out
 * again.
 *
 * It is false after every other error: the SMS may have gone out, or the request must be corrected first. It is false
 * for any other value, too, such as an error of a read.
 */
export const isSafeToResend = (error: unknown): boolean =>
  isFailure(error) && error.sendOutcome === "not-sent" && isRetryable(error)

/** The prototype of all errors. The entry for Effect adds how they are yielded. */
export class BaseError extends Error {
  toJSON(): object {
    return { ...this, message: this.message }
  }
}
// On the prototype, so that no rendering shows it.
Object.defineProperty(BaseError.prototype, mark, { value: true })

/** Keeps the headers of a response with its error, where no rendering shows them. */
export const withResponse = (error: Failure, headers: Readonly<Record<string, string>>): void => {
  Object.defineProperty(error, "response", { value: { headers }, configurable: true })
}

/** Makes the base class of one error. Its fields are the argument of its constructor. */
export const failure =
  <Fields extends Partial<OfCall>>() =>
  <const Tag extends string, Hidden extends keyof Fields & string = never>(
    tag: Tag,
    { hidden, message, name = tag, outcome }: Definition<Fields, Hidden>
  ): new (fields: Fields) => Failure<Tag> & Readonly<Fields> => {
    class Base extends BaseError {
      readonly _tag = tag

      constructor(given: Fields) {
        const fields = { ...hidden, ...given }
        const sendOutcome = sends.has(fields.operation) ? outcome?.(fields) : undefined
        const isSafe = sendOutcome === "not-sent" && isRetryable({ _tag: tag, ...fields })
        super(
          message(fields) +
            (sendOutcome === undefined || isRepeatable(fields, sendOutcome)
              ? ""
              : advice[sendOutcome]) +
            (isSafe ? ": sending again is safe" : "")
        )
        Object.assign(this, fields, sendOutcome === undefined ? {} : { sendOutcome })
        for (const field of Object.keys(hidden ?? {})) {
          Object.defineProperty(this, field, { enumerable: false })
        }
      }
    }
    // On the prototype, so that no rendering repeats the name.
    Object.defineProperty(Base.prototype, "name", { value: name, writable: true })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.assign` sets the fields
    return Base as never
  }
