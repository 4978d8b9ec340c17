/** Verifies access tokens of an authorization server. This server is the OAuth resource. */
import { isLoopbackHost } from "@messaging-topup/core/internal"
import { type AuthInfo, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { JWTVerifyGetKey } from "jose"
import { invalidToken } from "./Keys.ts"

/**
 * The authorization server that this server trusts.
 *
 * URLs are text: an issuer is compared character by character, and a URL parser adds slashes. The
 * settings check them.
 */
export interface OAuthSettings {
  /** As in a token's `iss`. Starts with https, or with http on loopback. */
  readonly issuer: string
  /** The audience that a token's `aud` must contain. */
  readonly audience: string
  /** The public URL of this MCP server, as clients use it. */
  readonly resource: string
}

/** Returns `undefined` unless the URL uses https, or http on loopback, and has no user name or password. */
export const secureUrl = (text: string): URL | undefined => {
  const url = URL.parse(text)
  if (url === null) return undefined
  const secure =
    url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))
  return secure && url.username === "" && url.password === "" ? url : undefined
}

const Metadata = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

const decodeMetadata = Schema.decodeUnknownEffect(Metadata)

/** Follows no redirect: it could lead to a host that the settings do not name. Fails with the reason. */
const metadataAt = Effect.fnUntraced(function* (url: string, issuer: string) {
  const metadata = yield* Effect.tryPromise((signal) =>
    fetch(url, { signal, redirect: "manual" }).then((response) => response.json())
  ).pipe(
    Effect.flatMap(decodeMetadata),
    Effect.mapError(() => `${url} is not JSON with an issuer and a jwks_uri`)
  )
  // RFC 8414 §3.3: otherwise one issuer could impersonate another.
  return metadata.issuer === issuer
    ? metadata
    : yield* Effect.fail(`${url} is the metadata of another issuer`)
})

/** RFC 8414 §3.1 puts the well-known path before the issuer's path; OpenID Connect puts it after. */
const discover = Effect.fnUntraced(function* (issuer: string) {
  const { hostname, origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  const metadata = yield* metadataAt(
    `${origin}/.well-known/oauth-authorization-server${path}`,
    issuer
  ).pipe(
    Effect.catch((first) =>
      Effect.mapError(
        metadataAt(`${origin}${path}/.well-known/openid-configuration`, issuer),
        (second) => `${first}; ${second}`
      )
    )
  )
  const url = secureUrl(metadata.jwks_uri)
  // A public issuer must not make this server send requests to its own machine.
  if (url === undefined || (isLoopbackHost(url.hostname) && !isLoopbackHost(hostname))) {
    return yield* Effect.fail("the issuer's jwks_uri is not https")
  }
  return url
})

// Symmetric algorithms are refused: everyone who can verify such a token can also sign one.
const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ")

/** How many seconds the clocks of issuer and server may differ. */
const clockTolerance = 30

/** For how long a failure to fetch the keys is remembered. */
const failureMillis = 5000

/** The error while the keys cannot be fetched. */
const unavailable = new OAuthError(
  OAuthErrorCode.TemporarilyUnavailable,
  "The token could not be checked, because the authorization server's keys are unavailable. Try again later"
)

/** The error for a key that the issuer may use since the keys were fetched: jose looks again after half a minute. */
const unknownKey = new OAuthError(
  OAuthErrorCode.TemporarilyUnavailable,
  "The token could not be checked, because its key is not known yet. Try again in half a minute"
)

/** After how many seconds a token that could not be checked may be sent again. */
export const retryAfter: ReadonlyMap<unknown, string> = new Map([
  [unavailable, "5"],
  [unknownKey, "30"]
])

/** The id of no key is longer. */
const maxKeyIdLength = 200

/** RFC 9068 has a text, and some issuers write a list. */
const Scopes = Schema.Union([Schema.String, Schema.Array(Schema.String)])

const TokenPayload = Schema.Struct({
  iss: Schema.String,
  exp: Schema.Finite,
  sub: Schema.optionalKey(Schema.NonEmptyString),
  client_id: Schema.optionalKey(Schema.NonEmptyString),
  azp: Schema.optionalKey(Schema.NonEmptyString),
  scope: Schema.optionalKey(Scopes),
  scp: Schema.optionalKey(Scopes)
})

const decodePayload = Schema.decodeUnknownOption(TokenPayload)

const callerOf = (payload: unknown, needed: ReadonlyArray<string>): AuthInfo => {
  const found = Option.getOrUndefined(decodePayload(payload))
  const subject = found?.sub ?? found?.client_id
  if (found === undefined || subject === undefined) throw invalidToken()
  const { azp, client_id, exp, iss, scope = "", scp = [] } = found
  const granted = new Set([scope, scp].flat().join(" ").split(" "))
  const scopes = needed.filter((each) => granted.has(each))
  if (scopes.length === 0) {
    throw new OAuthError(
      OAuthErrorCode.InsufficientScope,
      `The token has none of the scopes ${needed.join(", ")}`
    )
  }
  return {
    token: "<redacted>",
    clientId: client_id ?? subject,
    scopes,
    // The SDK checks the expiry again, without tolerance.
    expiresAt: exp + clockTolerance,
    extra: {
      // A client that acts for itself is not the person whose subject has its name.
      caller:
        found.sub === undefined ? `oauth-client:${iss}|${subject}` : `oauth:${iss}|${subject}`,
      // Never the subject: a person could have the name of a client.
      client: client_id ?? azp
    }
  }
}

/**
 * Verifies JWTs: the signature by one of the issuer's keys, the issuer, the audience and the time. It
 * does not check `typ`, because many issuers do not set the value of RFC 9068.
 *
 * jose caches the keys, and decides when to fetch them again. No token decides the URL that they are
 * fetched from. A token with none of `scopes` is refused. While the keys are unavailable, or that of a token is not
 * known yet, the error is `temporarily_unavailable`: the token may be valid, so the caller should keep it.
 */
export const verifier = Effect.fnUntraced(function* (
  { audience, issuer }: OAuthSettings,
  scopes: ReadonlyArray<string>
) {
  // Imported here, so that a server without OAuth does not load it.
  const jose = yield* Effect.promise(() => import("jose"))
  const { errors, jwtVerify } = jose
  const run = Effect.runPromiseWith(yield* Effect.context())
  let failedAt = -Infinity
  /** A token whose key is cached needs no fetch, so it is accepted also while the issuer fails. */
  const fetchKeys = Effect.fnUntraced(function* (options: RequestInit) {
    const sinceFailure = (yield* Clock.currentTimeMillis) - failedAt
    // So that wrong tokens cannot flood an issuer that fails. A clock that was set back ends it, too.
    if (Math.abs(sinceFailure) < failureMillis) return yield* Effect.fail(unavailable)
    const url = yield* discover(issuer)
    return yield* Effect.tryPromise(() => fetch(url, options))
  })
  const keys = jose.createRemoteJWKSet(new URL(issuer), {
    [jose.customFetch]: (_, options) => run(fetchKeys(options), { signal: options.signal })
  })
  const isOfToken = (cause: unknown) =>
    cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys
  const failureOf = (cause: unknown, mayBeNew: boolean) => {
    if (cause === unavailable) return unavailable
    if (cause instanceof errors.JWKSNoMatchingKey && mayBeNew) return unknownKey
    if (isOfToken(cause)) return invalidToken()
    return Predicate.isString(cause) ? cause : "no keys at the issuer's jwks_uri within 5 seconds"
  }
  const keyOf = Effect.fnUntraced(function* (...signed: Parameters<JWTVerifyGetKey>) {
    const { kid = "" }: Readonly<Record<string, unknown>> = signed[0]
    if (!Predicate.isString(kid) || kid.length > maxKeyIdLength) {
      return yield* Effect.fail(invalidToken())
    }
    // jose fetched the keys a moment ago, and will not look for one that the issuer began to use since.
    const mayBeNew = keys.coolingDown
    const key = Effect.tryPromise({
      try: () => keys(...signed),
      catch: (cause) => failureOf(cause, mayBeNew)
    })
    return yield* Effect.catchIf(key, Predicate.isString, (reason) =>
      Effect.gen(function* () {
        failedAt = yield* Clock.currentTimeMillis
        yield* Effect.logWarning("the authorization server's keys could not be fetched", { reason })
        return yield* Effect.fail(unavailable)
      })
    )
  })
  return (token: string): Promise<AuthInfo> =>
    jwtVerify(token, (...signed) => run(keyOf(...signed)), {
      algorithms,
      issuer,
      audience,
      clockTolerance
    }).then(
      ({ payload }) => callerOf(payload, scopes),
      (cause: unknown) => {
        throw retryAfter.has(cause) ? cause : invalidToken()
      }
    )
})
