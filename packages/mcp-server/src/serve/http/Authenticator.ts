/** Authenticates the callers of the MCP server over HTTP. */
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken
} from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Keys from "./Keys.ts"
import * as OAuth from "./OAuth.ts"

export interface Authenticator {
  /** Returns the caller with this `Authorization` header, or the response that refuses it. */
  readonly authenticate: (authorization: string | undefined) => Promise<AuthInfo | Response>
  /** Returns the RFC 9728 document, if this is its path. It needs no authentication. */
  readonly document: (path: string) => Response | undefined
  /** Otherwise, all who are accepted are one caller. */
  readonly hasSeveralCallers: boolean
}

export interface Credentials {
  readonly keys?: ReadonlyArray<Keys.NamedKey> | undefined
  readonly oauth?: OAuth.OAuthSettings | undefined
}

interface AuthenticatorOptions extends Credentials {
  /** The scopes that the offered tools need. Tokens need at least one of them. */
  readonly scopes: ReadonlyArray<string>
}

/** The SDK would take the first of several tokens and ignore the rest. Here, several are refused. */
const oneToken = /^Bearer [\w.~+/-]+=*$/i

const malformed = new OAuthError(
  OAuthErrorCode.InvalidToken,
  "Give Authorization: Bearer TOKEN, with one token. Of an entry name:key, give the key alone"
)

/** The RFC 9728 metadata, which tells clients which authorization server to ask. */
const resourceMetadata = (
  { issuer, resource }: OAuth.OAuthSettings,
  scopes: ReadonlyArray<string>
): Response =>
  Response.json(
    {
      resource,
      authorization_servers: [issuer],
      scopes_supported: scopes,
      bearer_methods_supported: ["header"]
    },
    { headers: { "access-control-allow-origin": "*" } }
  )

/**
 * Accepts bearer keys, access tokens, or both. Without options, it accepts no caller.
 *
 * It responds with 401 if the token is missing or wrong, 403 if the token has none of the server's
 * scopes, and 503 if the key of the authorization server is not known. With `oauth`, 401 and 403
 * name the URL of the RFC 9728 document. Each tool checks the scope that it needs. Neither responses nor
 * callers contain the token.
 */
export const make = Effect.fnUntraced(function* ({
  keys = [],
  oauth,
  scopes
}: AuthenticatorOptions) {
  const byKey = Keys.verifier(keys)
  const byOAuth = oauth === undefined ? byKey : yield* OAuth.verifier(oauth, scopes)
  const verifier = {
    // A JWT has dots, and no key has one.
    verifyAccessToken: (token: string) => (token.includes(".") ? byOAuth : byKey)(token)
  }
  const metadataUrl =
    oauth === undefined
      ? undefined
      : new URL(getOAuthProtectedResourceMetadataUrl(new URL(oauth.resource)))
  const challenge = metadataUrl === undefined ? {} : { resourceMetadataUrl: metadataUrl.href }
  const refuse = (error: unknown): Response => {
    const seconds = OAuth.retryAfter.get(error)
    // The SDK would respond with 400, although the request is correct.
    return error instanceof OAuthError && seconds !== undefined
      ? Response.json(error.toResponseObject(), {
          status: 503,
          headers: { "retry-after": seconds }
        })
      : // Only for the challenge: the SDK's own check would require all scopes.
        bearerAuthChallengeResponse(error, { ...challenge, requiredScopes: [...scopes] })
  }
  const authenticator: Authenticator = {
    authenticate: async (authorization = "") =>
      authorization === "" || oneToken.test(authorization)
        ? verifyBearerToken(authorization, { verifier, ...challenge }).catch(refuse)
        : refuse(malformed),
    document: (path) =>
      oauth !== undefined && path === metadataUrl?.pathname
        ? resourceMetadata(oauth, scopes)
        : undefined,
    hasSeveralCallers: keys.length > 1 || oauth !== undefined
  }
  return authenticator
})
