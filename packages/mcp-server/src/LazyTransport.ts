/**
 * The HTTP transport of core, loaded with the first request.
 *
 * Loading it takes longer than everything else at start, and a host waits for the start.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const load = Effect.promise(() => import("@messaging-topup/core/node")).pipe(
      Effect.flatMap((transport) => Layer.buildWithScope(transport.layer, scope)),
      Effect.map((context) => Context.get(context, HttpClient.HttpClient))
    )
    // A caller that goes away while it loads must not leave a failure for all others.
    const loaded = yield* Effect.cached(Effect.uninterruptible(load))
    return HttpClient.make((request) => Effect.flatMap(loaded, (client) => client.execute(request)))
  })
)
