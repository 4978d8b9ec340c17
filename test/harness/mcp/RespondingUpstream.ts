/**
 * A service on loopback that responds as the test says, for servers in other processes.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { responseServer } from "../ResponseServer.ts"
import { token } from "../Clients.ts"

export const openRespondingUpstream = async () => {
  const scope = Effect.runSync(Scope.make())
  const server = await Effect.runPromise(Scope.provide(responseServer, scope))
  return {
    ...server,
    /** The variables with which a server under test uses it. */
    environment: { MESSAGING_TOPUP_BASE_URL: server.baseUrl, MESSAGING_TOPUP_TOKEN: token },
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export type RespondingUpstream = Awaited<ReturnType<typeof openRespondingUpstream>>
