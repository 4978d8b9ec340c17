/**
 * Who may use the MCP server over HTTP.
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
import * as Scopes from "../../Scopes.ts"
import * as StaticKeys from "./StaticKeys.ts"

export interface Authenticator {
  /** The caller, or the response that refuses it. */
  readonly authenticate: (request: Request) => Promise<AuthInfo | Response>
  /** Documents that need no authentication, such as RFC 9728 metadata. */
  readonly document: (request: Request) => Response | undefined
}

export interface AuthenticatorOptions {
  readonly keys?: ReadonlyArray<StaticKeys.NamedKey>
  readonly oauth?: OAuth.OAuthSettings
  /** What the tools that are offered need; nothing else is asked for. Default: all. */
  readonly scopes?: ReadonlyArray<string>
}

const unavailable: string = OAuthErrorCode.TemporarilyUnavailable

const retryAfterSeconds = "5"

const refusal =
  (challenge: Parameters<typeof bearerAuthChallengeResponse>[1]) => (error: unknown) =>
    // The SDK would respond with 400, as if the request were at fault.
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

/** Where a client learns which authorization server to ask: RFC 9728. */
const resourceMetadata = (
  { issuer, resource }: OAuth.OAuthSettings,
  scopes: ReadonlyArray<string>
) => {
  const options = {
    oauthMetadata: {
      issuer,
      // The document has none of these, but the SDK's type requires them.
      authorization_endpoint: issuer,
      token_endpoint: issuer,
      response_types_supported: []
    },
    resourceServerUrl: new URL(resource),
    scopesSupported: [...scopes],
    // The settings were checked, and the SDK does not know that [::1] is loopback.
    dangerouslyAllowInsecureIssuerUrl: true
  }
  return (request: Request): Response | undefined =>
    // The SDK would also speak for the authorization server, of which we know nothing.
    new URL(request.url).pathname.startsWith("/.well-known/oauth-protected-resource")
      ? oauthMetadataResponse(request, options)
      : undefined
}

/**
 * Accepts bearer keys, access tokens, or both; without options no caller.
 *
 * It responds with 401 to a token that is missing or wrong, 403 to one with none of the server's
 * scopes, and 503 where the authorization server's keys are unavailable. With `oauth`, 401 and 403
 * say where the RFC 9728 document is. The tools decide which of them needs which scope. No response
 * and no caller carries the token.
 */
export const make = Effect.fnUntraced(function* ({
  keys = [],
  oauth,
  scopes = Scopes.all
}: AuthenticatorOptions) {
  const run = Effect.runPromiseWith(yield* Effect.context())
  const byKey = StaticKeys.verifier(keys)
  const byOAuth = oauth === undefined ? byKey : yield* OAuth.verifier(oauth, scopes)
  const metadata =
    oauth === undefined
      ? {}
      : { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(oauth.resource)) }
  // Not for the SDK's own check, which requires all of them.
  const refuse = refusal({ ...metadata, requiredScopes: [...scopes] })
  const verifier = {
    verifyAccessToken: (token: string) => run((looksLikeJwt(token) ? byOAuth : byKey)(token))
  }
  const authenticator: Authenticator = {
    authenticate: (request) =>
      verifyBearerToken(credentialsOf(request), { verifier, ...metadata }).catch(refuse),
    document: oauth === undefined ? () => undefined : resourceMetadata(oauth, scopes)
  }
  return authenticator
})
