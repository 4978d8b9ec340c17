/**
 * Authenticates the callers of the MCP server over HTTP.
 */
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  verifyBearerToken
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { isOneBearerToken, looksLikeJwt } from "./BearerToken.ts"
import * as OAuth from "./OAuth.ts"
import * as StaticKeys from "./StaticKeys.ts"

export interface Authenticator {
  /** Returns the caller, or the response that refuses it. */
  readonly authenticate: (request: Request) => Promise<AuthInfo | Response>
  /** Serves documents that need no authentication, such as RFC 9728 metadata. */
  readonly document: (request: Request) => Response | undefined
}

export interface AuthenticatorOptions {
  readonly keys?: ReadonlyArray<StaticKeys.NamedKey> | undefined
  readonly oauth?: OAuth.OAuthSettings | undefined
  /** The scopes that the offered tools need. Tokens need at least one of them. */
  readonly scopes: ReadonlyArray<string>
}

const unavailable: string = OAuthErrorCode.TemporarilyUnavailable

const retryAfterSeconds = "5"

const responseTo =
  (challenge: Parameters<typeof bearerAuthChallengeResponse>[1]) => (error: unknown) =>
    // The SDK would respond with 400, although the request is correct.
    OAuthError.isInstance(error) && error.code === unavailable
      ? Response.json(error.toResponseObject(), {
          status: 503,
          headers: { "Retry-After": retryAfterSeconds }
        })
      : bearerAuthChallengeResponse(error, challenge)

/** The SDK would take the first of several tokens and ignore the rest. Here, several are refused. */
const credentialsOf = (request: Request) => {
  const header = request.headers.get("authorization")
  return header === null || isOneBearerToken(header) ? header : "malformed"
}

/** Serves the RFC 9728 metadata, which tells clients which authorization server to ask. */
const resourceMetadata = (
  { issuer, resource }: OAuth.OAuthSettings,
  scopes: ReadonlyArray<string>
) => {
  const options = {
    oauthMetadata: {
      issuer,
      // The document contains none of these, but the SDK's type requires them.
      authorization_endpoint: issuer,
      token_endpoint: issuer,
      response_types_supported: []
    },
    resourceServerUrl: new URL(resource),
    scopesSupported: [...scopes],
    // The settings check the issuer already, and the SDK does not treat [::1] as loopback.
    dangerouslyAllowInsecureIssuerUrl: true
  }
  return (request: Request): Response | undefined =>
    // The SDK would also serve metadata of the authorization server, which we do not have.
    new URL(request.url).pathname.startsWith("/.well-known/oauth-protected-resource")
      ? oauthMetadataResponse(request, options)
      : undefined
}

/**
 * Accepts bearer keys, access tokens, or both. Without options, it accepts no caller.
 *
 * It responds with 401 if the token is missing or wrong, 403 if the token has none of the server's
 * scopes, and 503 if the keys of the authorization server are unavailable. With `oauth`, 401 and 403
 * name the URL of the RFC 9728 document. Each tool checks the scope that it needs. Neither responses nor
 * callers contain the token.
 */
export const make = Effect.fnUntraced(function* ({
  keys = [],
  oauth,
  scopes
}: AuthenticatorOptions) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const byKey = StaticKeys.verifier(keys)
  const byOAuth = oauth === undefined ? byKey : yield* OAuth.verifier(oauth, scopes)
  const metadata =
    oauth === undefined
      ? {}
      : { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(oauth.resource)) }
  // Only for the challenge: the SDK's own check would require all scopes.
  const respond = responseTo({ ...metadata, requiredScopes: [...scopes] })
  const verifier = {
    verifyAccessToken: (token: string) => run((looksLikeJwt(token) ? byOAuth : byKey)(token))
  }
  const authenticator: Authenticator = {
    authenticate: (request) =>
      verifyBearerToken(credentialsOf(request), { verifier, ...metadata }).catch(respond),
    document: oauth === undefined ? () => undefined : resourceMetadata(oauth, scopes)
  }
  return authenticator
})
