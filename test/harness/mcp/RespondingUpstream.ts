/**
 * A service on loopback that responds as the test says, for servers in other processes.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { type ResponseServer, responseServer } from "../ResponseServer.ts"
import { token } from "../Clients.ts"
import type { Environment } from "./RunningServer.ts"

export interface RespondingUpstream extends ResponseServer, AsyncDisposable {
  /** The variables with which a server under test uses it. */
  readonly environment: Environment
}

export const openRespondingUpstream = async (): Promise<RespondingUpstream> => {
  const scope = Effect.runSync(Scope.make())
  const server = await Effect.runPromise(Scope.provide(responseServer, scope))
  return {
    ...server,
    environment: { MESSAGING_TOPUP_BASE_URL: server.baseUrl, MESSAGING_TOPUP_TOKEN: token },
    [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
