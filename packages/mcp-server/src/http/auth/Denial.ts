/**
 * Why a token does not open the gate, in words that are the same for every kind of token.
 */
import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import * as Scopes from "../../Scopes.ts"

export const invalidToken = (): OAuthError =>
  new OAuthError(OAuthErrorCode.InvalidToken, "The bearer token is not valid")

export const noScope = (): OAuthError =>
  new OAuthError(
    OAuthErrorCode.InsufficientScope,
    `The token has none of the scopes ${Scopes.all.join(", ")}`
  )

export const keysUnavailable = (): OAuthError =>
  new OAuthError(
    OAuthErrorCode.TemporarilyUnavailable,
    "The token could not be checked, because the authorization server's keys are not to be had. Try again later"
  )
