/**
 * Access tokens of an authorization server, for which this server is a resource.
 */
import type { AuthInfo, OAuthError } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalidToken, keysUnavailable, noScope } from "./BearerToken.ts"
import { fetchKeys, type Issuer, KeysUnavailable, pausedAfterFailure } from "./IssuerKeys.ts"

/**
 * What the server knows of the authorization server that it trusts.
 *
 * URLs are text, because an issuer is compared letter for letter and a parser adds slashes. The
 * settings check them.
 */
export interface OAuthSettings extends Issuer {
  /** What a token's `aud` must name. */
  readonly audience: string
  /** The public URL of this MCP server, as its clients have it. */
  readonly resource: string
}

// With a shared secret, everyone who can check a token could make one.
const asymmetric = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ")

/** How far the clocks may be apart. */
const toleranceSeconds = 30

const Claims = Schema.Struct({
  iss: Schema.String,
  exp: Schema.Finite,
  sub: Schema.optionalKey(Schema.NonEmptyString),
  client_id: Schema.optionalKey(Schema.NonEmptyString),
  azp: Schema.optionalKey(Schema.NonEmptyString),
  scope: Schema.optionalKey(Schema.String),
  scp: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
})

const grantedBy = ({ scope = "", scp = [] }: typeof Claims.Type): ReadonlySet<string> =>
  new Set([...scope.split(" "), ...(typeof scp === "string" ? scp.split(" ") : scp)])

const callerOf = Effect.fnUntraced(function* (payload: unknown, needed: ReadonlyArray<string>) {
  const claims = Option.getOrUndefined(Schema.decodeUnknownOption(Claims)(payload))
  const subject = claims?.sub ?? claims?.client_id
  if (claims === undefined || subject === undefined) return yield* Effect.fail(invalidToken())
  const granted = grantedBy(claims)
  const scopes = needed.filter((scope) => granted.has(scope))
  if (scopes.length === 0) return yield* Effect.fail(noScope(needed))
  const caller: AuthInfo = {
    token: "<redacted>",
    clientId: claims.client_id ?? subject,
    scopes,
    // The SDK looks at the time again, without tolerance.
    expiresAt: claims.exp + toleranceSeconds,
    extra: {
      principal: `oauth:${claims.iss}|${subject}`,
      // Never the subject: a person may have the name of a client.
      client: claims.client_id ?? claims.azp
    }
  }
  return caller
})

/**
 * Checks JWTs: signature by one of the issuer's keys, issuer, audience, time. Their `typ` is not
 * looked at, because many issuers do not set the one of RFC 9068.
 *
 * Keys are fetched when the first token comes, and again when one is signed by a key that is not
 * known (after 30 seconds at the earliest), after 10 minutes, and 5 seconds after a failure. No
 * token decides where they are fetched from. A token without one of `scopes` is refused.
 * While the keys are unavailable the error is `temporarily_unavailable`: the token was not found
 * wrong, so the caller should keep it.
 */
export const verifier = Effect.fnUntraced(function* (
  settings: OAuthSettings,
  scopes: ReadonlyArray<string>
) {
  // A server without OAuth does not load it.
  const { createRemoteJWKSet, customFetch, errors, jwtVerify } = yield* Effect.promise(
    () => import("jose")
  )
  const run = Effect.runPromiseWith(yield* Effect.context())
  const fetched = yield* pausedAfterFailure(fetchKeys(settings))
  const keys = createRemoteJWKSet(new URL(settings.jwksUri ?? settings.issuer), {
    [customFetch]: () => run(Effect.map(fetched, (keySet) => Response.json(keySet)))
  })
  const isTheIssuers = (cause: unknown) =>
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
      catch: (cause) => (isTheIssuers(cause) ? keysUnavailable() : invalidToken())
    }).pipe(Effect.flatMap(({ payload }) => callerOf(payload, scopes)))
})
