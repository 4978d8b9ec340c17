/**
 * Verifies access tokens of an authorization server. This server is the OAuth resource.
 */
import type { AuthInfo, OAuthError } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalidToken, keysUnavailable, noScope } from "./BearerToken.ts"
import { fetcher, type Issuer, KeysUnavailable } from "./IssuerKeys.ts"

/**
 * The authorization server that this server trusts.
 *
 * URLs are text: an issuer is compared character by character, and a URL parser adds slashes. The
 * settings check them.
 */
export interface OAuthSettings extends Issuer {
  /** The audience that a token's `aud` must contain. */
  readonly audience: string
  /** The public URL of this MCP server, as clients use it. */
  readonly resource: string
}

// Symmetric algorithms are refused: everyone who can verify such a token can also sign one.
const asymmetric = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ")

/** How many seconds the clocks of issuer and server may differ. */
const toleranceSeconds = 30

const TokenPayload = Schema.Struct({
  iss: Schema.String,
  exp: Schema.Finite,
  sub: Schema.optionalKey(Schema.NonEmptyString),
  client_id: Schema.optionalKey(Schema.NonEmptyString),
  azp: Schema.optionalKey(Schema.NonEmptyString),
  scope: Schema.optionalKey(Schema.String),
  scp: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
})

const grantedBy = ({ scope = "", scp = [] }: typeof TokenPayload.Type): ReadonlySet<string> =>
  new Set([...scope.split(" "), ...(typeof scp === "string" ? scp.split(" ") : scp)])

const callerOf = Effect.fnUntraced(function* (payload: unknown, needed: ReadonlyArray<string>) {
  const claims = Option.getOrUndefined(Schema.decodeUnknownOption(TokenPayload)(payload))
  const subject = claims?.sub ?? claims?.client_id
  if (claims === undefined || subject === undefined) return yield* Effect.fail(invalidToken())
  const granted = grantedBy(claims)
  const scopes = needed.filter((scope) => granted.has(scope))
  if (scopes.length === 0) return yield* Effect.fail(noScope(needed))
  const caller: AuthInfo = {
    token: "<redacted>",
    clientId: claims.client_id ?? subject,
    scopes,
    // The SDK checks the expiry again, without tolerance.
    expiresAt: claims.exp + toleranceSeconds,
    extra: {
      principal: `oauth:${claims.iss}|${subject}`,
      // Never the subject: a person could have the name of a client.
      client: claims.client_id ?? claims.azp
    }
  }
  return caller
})

/**
 * Verifies JWTs: the signature by one of the issuer's keys, the issuer, the audience and the time. It
 * does not check `typ`, because many issuers do not set the value of RFC 9068.
 *
 * Keys are fetched when the first token arrives. They are fetched again after 10 minutes, 5 seconds
 * after a failure, and when a token is signed by an unknown key, at the earliest 30 seconds after
 * the last fetch. No token decides the URL that they are fetched from. A token with none of
 * `scopes` is refused. While the keys are unavailable, the error is `temporarily_unavailable`: the
 * token may be valid, so the caller should keep it.
 */
export const verifier = Effect.fnUntraced(function* (
  settings: OAuthSettings,
  scopes: ReadonlyArray<string>
) {
  // Imported here, so that a server without OAuth does not load it.
  const { createRemoteJWKSet, customFetch, errors, jwtVerify } = yield* Effect.promise(
    () => import("jose")
  )
  const run = Effect.runPromiseWith(yield* Effect.context())
  const fetched = yield* fetcher(settings)
  const keys = createRemoteJWKSet(new URL(settings.jwksUri ?? settings.issuer), {
    [customFetch]: () => run(Effect.map(fetched, (keySet) => Response.json(keySet)))
  })
  const isIssuerFault = (cause: unknown) =>
    cause instanceof KeysUnavailable || cause instanceof errors.JWKSInvalid
  return (token: string): Effect.Effect<AuthInfo, OAuthError> =>
    Effect.tryPromise({
      try: () =>
        jwtVerify(token, keys, {
          algorithms: asymmetric,
          issuer: settings.issuer,
          audience: settings.audience,
          clockTolerance: toleranceSeconds
        }),
      catch: (cause) => (isIssuerFault(cause) ? keysUnavailable() : invalidToken())
    }).pipe(Effect.flatMap(({ payload }) => callerOf(payload, scopes)))
})
