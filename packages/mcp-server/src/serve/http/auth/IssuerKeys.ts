/**
 * Fetches the keys of an authorization server, without a cache.
 */
import { isLoopbackHost } from "@messaging-topup/core/internal"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { secureUrl } from "./SecureUrl.ts"

export interface Issuer {
  /** As in a token's `iss`. Starts with https, or with http on loopback. */
  readonly issuer: string
  /** The URL of the issuer's keys. Defaults to the one in the issuer's metadata. */
  readonly jwksUri?: string
}

export class KeysUnavailable extends Data.TaggedError("KeysUnavailable")<{
  readonly reason: string
}> {}

const unavailable = (reason: string) => new KeysUnavailable({ reason })

/** For discovery and the keys together. */
const timeout = "5 seconds"

/** The maximum size of one document. Those of large issuers have about ten kilobytes. */
const maxBytes = 1024 * 1024

/** Shows a URL in the log, without its query, which may hold a secret. */
const place = ({ origin, pathname }: URL): string => `${origin}${pathname}`

/** Fails when the body is too long, which also cancels its source. */
const bounded = (url: URL) => {
  let bytes = 0
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes <= maxBytes) controller.enqueue(chunk)
      else controller.error(unavailable(`${place(url)} responded with more than ${maxBytes} bytes`))
    }
  })
}

// Follows no redirect: it could lead to a host that the settings do not name.
const get = (url: URL): Effect.Effect<string, KeysUnavailable> =>
  Effect.tryPromise({
    // One promise, so that the signal also cancels a body that never ends.
    try: (signal) =>
      fetch(url, { signal, redirect: "manual" }).then(({ body, status }) =>
        new Response(body?.pipeThrough(bounded(url)))
          .text()
          .then((text) =>
            status === 200
              ? text
              : Promise.reject(unavailable(`${place(url)} responded with status ${status}`))
          )
      ),
    catch: (cause) =>
      cause instanceof KeysUnavailable
        ? cause
        : unavailable(`no complete response from ${place(url)}`)
  })

const Metadata = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.String })

const KeySet = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
})

const getJson = <A>(url: URL, schema: Schema.Codec<A, unknown>, what: string) =>
  Effect.flatMap(get(url), (text) =>
    Effect.mapError(Schema.decodeEffect(Schema.fromJsonString(schema))(text), () =>
      unavailable(`${place(url)} is not ${what}`)
    )
  )

const metadataAt = Effect.fnUntraced(function* (url: URL, issuer: string) {
  const metadata = yield* getJson(url, Metadata, "JSON with an issuer and a jwks_uri")
  // RFC 8414 §3.3: otherwise one issuer could impersonate another.
  return metadata.issuer === issuer
    ? metadata
    : yield* unavailable(`${place(url)} is the metadata of another issuer`)
})

/** RFC 8414 §3.1 puts the well-known path before the issuer's path; OpenID Connect puts it after. */
const wellKnown = (issuer: string) => {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, "")
  return {
    oauth: new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
    openId: new URL(`${origin}${path}/.well-known/openid-configuration`)
  }
}

const discover = Effect.fnUntraced(function* (issuer: string) {
  const { oauth, openId } = wellKnown(issuer)
  const metadata = yield* metadataAt(oauth, issuer).pipe(
    Effect.catch((first) =>
      Effect.mapError(metadataAt(openId, issuer), (second) =>
        unavailable(`${first.reason}; ${second.reason}`)
      )
    )
  )
  const url = secureUrl(metadata.jwks_uri)
  // A public issuer must not make this server send requests to its own machine.
  if (
    url === undefined ||
    (isLoopbackHost(url.hostname) && !isLoopbackHost(new URL(issuer).hostname))
  ) {
    return yield* unavailable("the issuer's jwks_uri is not https")
  }
  return url
})

/**
 * Takes at most five seconds, and logs the reason for a failure. After a failure, it fails with the same
 * error for five seconds without a request, so that wrong tokens cannot flood the issuer.
 */
export const fetcher = ({ issuer, jwksUri }: Issuer) =>
  (jwksUri === undefined ? discover(issuer) : Effect.succeed(new URL(jwksUri))).pipe(
    Effect.flatMap((url) => getJson(url, KeySet, "a JSON Web Key Set")),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.fail(unavailable(`no response within ${timeout}`))
    }),
    Effect.tapError(({ reason }) =>
      Effect.logWarning("The authorization server's keys could not be fetched", { reason })
    ),
    // jose caches the keys, and decides when to fetch them again.
    Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? 0 : "5 seconds"))
  )
