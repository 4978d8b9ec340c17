/**
 * Tells whether a `fetch` that sends once failed before the request started, because `fetch` itself
 * does not say.
 *
 * Only errors that are known to come before the first byte count as not started. After any other
 * error the request may have started, so a send is not retried. A browser gives no reason at all.
 */
import * as Predicate from "effect/Predicate"

/** Certificate errors: the TLS handshake failed, so no request was written. */
const certificateCodes = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
])

const connectCodes = new Set(["ConnectionRefused", "ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"])

const connectCalls = new Set(["connect", "getaddrinfo"])

/** A `cause` chain is short. The limit protects against one that points to itself. */
const maxDepth = 8

/** Marks a failure of a wire that knows that the request did not start. */
export class NotStarted {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** The error message of Node's `fetch` for a port that the Fetch standard blocks. */
const blockedPort = "bad port"

const isConnectError = (error: object): boolean => {
  if (error instanceof Error && error.message === blockedPort) return true
  if (Predicate.hasProperty(error, "syscall") && Predicate.isString(error.syscall)) {
    return connectCalls.has(error.syscall)
  }
  return (
    Predicate.hasProperty(error, "code") &&
    Predicate.isString(error.code) &&
    (connectCodes.has(error.code) || certificateCodes.has(error.code))
  )
}

/** Returns whether the failure, or its cause, happened while the connection was made. */
export const isConnectFailure = (failure: unknown, depth = 0): boolean => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return false
  // A host with several addresses fails with one error per address.
  if (Predicate.hasProperty(failure, "errors") && Array.isArray(failure.errors)) {
    return (
      failure.errors.length > 0 &&
      failure.errors.every((error) => isConnectFailure(error, depth + 1))
    )
  }
  if (isConnectError(failure)) return true
  return Predicate.hasProperty(failure, "cause") && isConnectFailure(failure.cause, depth + 1)
}

const codeShape = /^[A-Za-z][A-Za-z0-9_]{1,63}$/

/**
 * Returns the platform's code for the failure, never its message: a message can repeat the request.
 */
export const failureCode = (failure: unknown, depth = 0): string | undefined => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return undefined
  if (
    Predicate.hasProperty(failure, "code") &&
    Predicate.isString(failure.code) &&
    codeShape.test(failure.code)
  ) {
    return failure.code
  }
  return Predicate.hasProperty(failure, "cause") ? failureCode(failure.cause, depth + 1) : undefined
}
