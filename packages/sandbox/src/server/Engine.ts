/**
 * A sandbox without its transport.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Exposure } from "../control/Access.ts"
import * as Control from "../control/Control.ts"
import * as EventReaders from "../control/EventReaders.ts"
import type { Fault, FaultOptions } from "../faults/Fault.ts"
import * as FaultControl from "../faults/FaultControl.ts"
import { ActiveFault } from "../faults/FaultSchema.ts"
import { schemaProblem } from "../http/SchemaErrors.ts"
import * as LoggedRequest from "../record/LoggedRequest.ts"
import * as Message from "../record/Message.ts"
import * as RequestLog from "../record/RequestLog.ts"
import * as State from "../record/State.ts"
import { tokenRedaction } from "../record/TokenRedaction.ts"
import * as Responder from "../service/Responder.ts"
import type { SandboxStartError } from "./SandboxStartError.ts"

/** Opens and closes the socket that listens. Calling one of them twice has no further effect. */
export interface Listener {
  readonly open: Effect.Effect<void, SandboxStartError>
  readonly close: Effect.Effect<void>
}

interface EngineOptions {
  readonly token: Redacted.Redacted
  readonly exposure: Exposure
  readonly maxMessages: number
  readonly maxRequests: number
  readonly onRequest: (request: LoggedRequest.LoggedRequest) => void
}

/** The maximum for all messages together, and for all requests. */
const maxBytes = 64 * 1024 * 1024

const decodeFault = Schema.decodeUnknownEffect(ActiveFault)

/** A program may only set faults that the control endpoints can set or show. */
const checked = (fault: Fault) =>
  decodeFault(fault).pipe(
    Effect.mapError(({ issue }) => new RangeError(`setFault: ${schemaProblem(issue)}`)),
    Effect.orDie
  )

export const make = Effect.fnUntraced(function* (options: EngineOptions) {
  const { exposure, maxMessages, maxRequests, onRequest, token } = options
  const showRequest = LoggedRequest.stored(tokenRedaction(token))
  const events = yield* EventReaders.make
  const state = yield* State.make({ count: maxMessages, bytes: maxBytes }, (message) =>
    events.publish(() => ({ event: "message", data: Message.stored(message) }))
  )
  const log = yield* RequestLog.make({ count: maxRequests, bytes: maxBytes }, (request) => {
    onRequest(request)
    events.publish(() => ({ event: "request", data: showRequest(request) }))
  })
  const faults = yield* FaultControl.make((current) =>
    events.publish(() => ({ event: "fault", data: { fault: current ?? null } }))
  )
  const respond = yield* Responder.make(state, faults, token)
  const oneAtATime = Semaphore.makeUnsafe(1)
  let listener: Listener = { open: Effect.void, close: Effect.void }

  // Another program may use the port by now. A test cannot handle that.
  const reopen = Effect.orDie(Effect.suspend(() => listener.open))

  const setFault = Effect.fnUntraced(function* (given: Fault, duration?: FaultOptions) {
    const fault = yield* checked({ ...given, ...duration })
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

  const control = yield* Control.make(
    {
      messages: state,
      clearMessages: clear(true, false),
      requests: (query) => log.page(query, showRequest),
      clearRequests: clear(false, true),
      fault: Effect.map(faults.current, (fault) => ({ fault: fault ?? null })),
      setFault,
      clearFault,
      readEvents: events.read
    },
    exposure,
    token
  )

  return {
    log,
    faults,
    respond,
    control,
    /** Sets the listener that `ConnectionRefused` closes. */
    listenOn: (opened: Listener) => {
      listener = opened
    },
    /** What the control endpoints show. */
    stored: { requests: Effect.map(log.logged, (requests) => requests.map(showRequest)) },
    service: {
      accepted: state.accepted,
      messages: state.messages,
      setStatus: state.setStatus,
      received: log.received,
      awaitReceived: log.awaitReceived,
      nextDisconnect: log.nextDisconnect,
      setFault,
      clearFault,
      reset: Effect.andThen(clearFault, clear(true, true))
    }
  }
})
