/**
 * The syntax of bearer tokens, and the errors that refuse one.
 */
import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"

/** The syntax of one credential in a header. Source: RFC 6750 §2.1. */
const token = "[\\w.~+/-]+=*"

const whole = new RegExp(`^${token}$`)
const credentials = new RegExp(`^Bearer ${token}$`, "i")

export const isBearerToken = (text: string): boolean => whole.test(text)

/** Whether an Authorization header is one bearer token and nothing else. */
export const isOneBearerToken = (header: string): boolean => credentials.test(header)

/** A JWT has three parts between dots. The last, the signature, may be empty. */
export const looksLikeJwt = (text: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)

// The texts are the same for every kind of token, so that they reveal nothing about the right one.

export const invalidToken = (): OAuthError =>
  new OAuthError(OAuthErrorCode.InvalidToken, "The bearer token is not valid")

export const noScope = (scopes: ReadonlyArray<string>): OAuthError =>
  new OAuthError(
    OAuthErrorCode.InsufficientScope,
    `The token has none of the scopes ${scopes.join(", ")}`
  )

export const keysUnavailable = (): OAuthError =>
  new OAuthError(
    OAuthErrorCode.TemporarilyUnavailable,
    "The token could not be checked, because the authorization server's keys are unavailable. Try again later"
  )
