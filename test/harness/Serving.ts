/**
 * A server, and a client that calls it, for one test.
 */
import { MessagingTopup, type MessagingTopupOptions } from "@messaging-topup/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { responseServer } from "./ResponseServer.ts"
import { client, type Transport } from "./Clients.ts"
import { socketServer } from "./SocketServer.ts"

interface Options extends Partial<MessagingTopupOptions> {
  readonly transport?: Transport
}

const servingOn =
  <Server extends { readonly baseUrl: string }>(start: Effect.Effect<Server, never, Scope.Scope>) =>
  <Yielded extends Effect.Effect<unknown, unknown, unknown>, A>(
    { transport, ...options }: Options,
    use: (service: MessagingTopup["Service"], server: Server) => Generator<Yielded, A, never>
  ) =>
    Effect.gen(function* () {
      const server = yield* start
      return yield* Effect.flatMap(MessagingTopup, (service) =>
        Effect.gen(() => use(service, server))
      ).pipe(Effect.provide(client(server.baseUrl, transport, options)))
    }).pipe(Effect.scoped)

/** Runs as `Effect.gen` does, with both. */
export const serving = servingOn(responseServer)

/** The same with a server that passes on its sockets. */
export const servingSockets = servingOn(socketServer)
