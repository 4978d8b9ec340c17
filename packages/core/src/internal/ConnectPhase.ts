/**
 * Whether a transport failed before the request started, where the transport itself does not say.
 *
 * Only what is known to come before the first byte counts: everything else may have left, and a
 * send that may have left is never resent. A browser gives no reason at all.
 */
import * as Predicate from "effect/Predicate"

/** Refusals of a certificate: the handshake ended, so no request was written. */
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

/** A `cause` chain is short; the bound is against one that points to itself. */
const maxDepth = 8

/** The failure of a wire that knows that the request did not start. */
export class NotStarted {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** What Node's `fetch` says of the ports that the Fetch standard blocks. */
const blockedPort = "bad port"

const isConnectError = (error: object): boolean => {
  if (error instanceof NotStarted) return true
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

/** Whether the failure, or what caused it, is one of making the connection. */
export const isConnectFailure = (failure: unknown, depth = 0): boolean => {
  if (!Predicate.isObject(failure) || depth > maxDepth) return false
  // A host with several addresses fails with one error an address.
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

/** The platform's name for the failure. A message is never taken: it can repeat the request. */
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
