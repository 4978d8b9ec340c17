/**
 * Who may use the MCP server over HTTP.
 */
import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type { Gate } from "../Gate.ts"
import { isOneBearerToken, looksLikeJwt } from "./BearerToken.ts"
import * as OAuth from "./OAuth.ts"
import type { OAuthSettings } from "./OAuthSettings.ts"
import { resourceDocument } from "./ResourceDocument.ts"
import * as Scopes from "../../Scopes.ts"
import * as StaticKeys from "./StaticKeys.ts"

export interface GateOptions {
  readonly keys?: ReadonlyArray<StaticKeys.NamedKey>
  readonly oauth?: OAuthSettings
}

const unavailable: string = OAuthErrorCode.TemporarilyUnavailable

const retryAfterSeconds = "5"

const refusal =
  (challenge: Parameters<typeof bearerAuthChallengeResponse>[1]) => (error: unknown) =>
    // The SDK would answer 400, as if the request were at fault.
    OAuthError.isInstance(error) && error.code === unavailable
      ? Response.json(error.toResponseObject(), {
          status: 503,
          headers: { "Retry-After": retryAfterSeconds }
        })
      : bearerAuthChallengeResponse(error, challenge)

/** The SDK takes the first of several tokens and ignores what follows: here that is no token. */
const credentialsOf = (request: Request) => {
  const header = request.headers.get("authorization")
  return header === null || isOneBearerToken(header) ? header : "malformed"
}

/**
 * A gate that opens to bearer keys, to access tokens, or to both; without options to nobody.
 *
 * It answers 401 to a token that is missing or wrong, 403 to one with none of the server's scopes,
 * and 503 where the authorization server's keys are not to be had. With `oauth`, 401 and 403 say
 * where the RFC 9728 document is. Which tool needs which scope is for the tools to say. No answer
 * and no caller carries the token. Fails with `OAuthSettingError` at a setting that is not right.
 */
export const makeGate = Effect.fnUntraced(function* ({ keys = [], oauth }: GateOptions) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const byKey = StaticKeys.verifier(keys)
  const byOAuth = oauth === undefined ? byKey : yield* OAuth.verifier(oauth)
  const metadata =
    oauth === undefined
      ? {}
      : { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(oauth.resource)) }
  // Not for the SDK's own check, which wants all of them.
  const refuse = refusal({ ...metadata, requiredScopes: [...Scopes.all] })
  const verifier = {
    verifyAccessToken: (token: string) => run((looksLikeJwt(token) ? byOAuth : byKey)(token))
  }
  const gate: Gate = {
    authenticate: (request) =>
      verifyBearerToken(credentialsOf(request), { verifier, ...metadata }).catch(refuse),
    document: oauth === undefined ? () => undefined : resourceDocument(oauth)
  }
  return gate
})
