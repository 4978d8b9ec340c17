/**
 * A server, and a client that calls it, for one test.
 */
import { MessagingTopup, type MessagingTopupOptions } from "@messaging-topup/core"
import * as NodeTransport from "@messaging-topup/core/node"
import * as Effect from "effect/Effect"
import { type ResponseServer, responseServer } from "./ResponseServer.ts"
import { client, type Transport } from "./Clients.ts"

export interface ServingOptions extends Partial<MessagingTopupOptions> {
  readonly transport?: Transport
}

/** Runs as `Effect.gen` does, with both. */
export const serving = <Yielded extends Effect.Effect<unknown, unknown>, A>(
  { transport = NodeTransport.layer, ...options }: ServingOptions,
  use: (service: MessagingTopup["Service"], server: ResponseServer) => Generator<Yielded, A, never>
) =>
  Effect.gen(function* () {
    const server = yield* responseServer
    return yield* Effect.flatMap(MessagingTopup, (service) =>
      Effect.gen(() => use(service, server))
    ).pipe(Effect.provide(client(server.baseUrl, transport, options)))
  }).pipe(Effect.scoped)
