/**
 * A sandbox without its transport.
 */
import * as Hex from "effect/encoding/Hex"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as EventReaders from "../control/EventReaders.ts"
import type { SandboxFault } from "../faults/Fault.ts"
import * as FaultControl from "../faults/FaultControl.ts"
import { ActiveFault } from "../faults/FaultSchema.ts"
import { Arrivals } from "../record/Arrivals.ts"
import * as Message from "../record/Message.ts"
import * as RequestLog from "../record/RequestLog.ts"
import { MessageFilter } from "../record/Schemas.ts"
import * as State from "../record/State.ts"
import type { Kept, MessageFilter as Filter, StoredRequest } from "../record/Stored.ts"
import { isSecret, tokenRedaction } from "../record/TokenRedaction.ts"
import * as Responder from "../service/Responder.ts"
import { checked } from "./InvalidInput.ts"
import type { SandboxStartError } from "./SandboxStartError.ts"

/** Opens and closes the socket that listens. Calling one of them twice has no further effect. */
export interface Listener {
  readonly open: Effect.Effect<void, SandboxStartError>
  readonly close: Effect.Effect<void>
}

interface EngineOptions {
  readonly token?: string
  readonly maxMessages: number
  readonly maxRequests: number
}

/** The maximum for all messages together, and for all requests. */
const maxBytes = 64 * 1024 * 1024

const checkFault = checked(ActiveFault)
const checkFilter = checked(MessageFilter)
const checkStatus = checked(
  Schema.Struct({ messageId: Schema.String, status: Schema.NonEmptyString })
)

const randomToken = (): string =>
  `sandbox-${Hex.encode(crypto.getRandomValues(new Uint8Array(12)))}`

export const make = Effect.fnUntraced(function* (
  { maxMessages, maxRequests, token: givenToken }: EngineOptions,
  onRequest: ((request: StoredRequest) => void) | undefined
) {
  const accepted = givenToken ?? randomToken()
  const token = Redacted.make(accepted)
  const events = yield* EventReaders.make
  const changes = new Arrivals()
  const state = yield* State.make({ count: maxMessages, bytes: maxBytes }, changes, (message) =>
    events.publish(() => ({ event: "message", data: Message.stored(message) }))
  )
  const log = yield* RequestLog.make(
    { count: maxRequests, bytes: maxBytes },
    changes,
    tokenRedaction(token),
    (request) => {
      onRequest?.(request)
      events.publish(() => ({ event: "request", data: request }))
    }
  )
  const faults = yield* FaultControl.make((current) =>
    events.publish(() => ({ event: "fault", data: { fault: current ?? null } }))
  )
  const respond = yield* Responder.make(state, faults, token)
  const oneAtATime = Semaphore.makeUnsafe(1)
  let listener: Listener = { open: Effect.void, close: Effect.void }

  // Another program may use the port by now. A test cannot handle that.
  const reopen = Effect.orDie(Effect.suspend(() => listener.open))

  const setFault = Effect.fnUntraced(function* (given: SandboxFault) {
    const fault = yield* checkFault(given)
    yield* faults.set(fault)
    return yield* fault.fault === "ConnectionRefused" ? listener.close : reopen
  }, oneAtATime.withPermit)

  const clearFault = oneAtATime.withPermit(Effect.andThen(faults.clear, reopen))

  const clear = (messages: boolean, requests: boolean) =>
    Effect.gen(function* () {
      if (messages) yield* state.clear
      if (requests) yield* log.clear
      events.publish(() => ({ event: "cleared", data: { messages, requests } }))
    })

  const kept = Effect.all({ messages: state.messages({}), requests: log.stored })

  const until = (ready: (kept: Kept) => boolean): Effect.Effect<Kept> =>
    Effect.flatMap(kept, (now) =>
      ready(now) ? Effect.succeed(now) : Effect.andThen(changes.next, until(ready))
    )

  const reset = Effect.andThen(clearFault, clear(true, true))

  return {
    log,
    faults,
    respond,
    /** Sets the listener that `ConnectionRefused` closes. */
    listenOn: (opened: Listener) => {
      listener = opened
    },
    /** What the control endpoints read and change. */
    controls: {
      messages: state,
      clearMessages: clear(true, false),
      requests: log,
      clearRequests: clear(false, true),
      fault: Effect.map(faults.current, (fault) => ({ fault: fault ?? null })),
      setFault,
      clearFault,
      reset,
      token: givenToken !== undefined && isSecret(givenToken) ? {} : { token: accepted },
      events
    },
    service: {
      token,
      messages: (filter: Filter = {}) => Effect.flatMap(checkFilter(filter), state.messages),
      setStatus: (messageId: string, status: string) =>
        Effect.flatMap(checkStatus({ messageId, status }), (valid) =>
          state.setStatus(valid.messageId, valid.status)
        ),
      requests: () => log.stored,
      until,
      setFault,
      clearFault,
      reset
    }
  }
})
