/**
 * The state of the sandbox that the control endpoints read and change.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { State } from "../record/State.ts"
import type { PageQuery } from "../record/PageQuery.ts"
import type { EventReaders } from "./EventReaders.ts"
import type { ActiveFault, CurrentFault } from "../record/Model.ts"
import type { RequestPage } from "../record/Pages.ts"

export class Controls extends Context.Service<
  Controls,
  {
    readonly messages: Pick<State["Service"], "page" | "get" | "setStatus">
    readonly clearMessages: Effect.Effect<void>
    readonly requests: (query: PageQuery) => Effect.Effect<RequestPage>
    readonly clearRequests: Effect.Effect<void>
    readonly fault: Effect.Effect<CurrentFault>
    readonly setFault: (fault: ActiveFault) => Effect.Effect<void>
    readonly clearFault: Effect.Effect<void>
    readonly readEvents: EventReaders["read"]
  }
>()("@messaging-topup/sandbox/control/Controls") {}

/**
 * Aborts the connection of the current request, for a reader that does not read. One per request.
 */
export class ConnectionAbort extends Context.Service<ConnectionAbort, AbortController>()(
  "@messaging-topup/sandbox/control/Controls/ConnectionAbort"
) {}
