/** A sandbox without its transport: what it keeps, its fault, and how it handles a request. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { FaultControl } from "./faults/FaultControl.ts"
import type { Incoming } from "./http/Body.ts"
import { Changes } from "./record/Changes.ts"
import * as Messages from "./record/Messages.ts"
import * as Requests from "./record/Requests.ts"
import { check } from "./Schemas.ts"
import * as Responder from "./service/Responder.ts"
import * as Webhooks from "./service/Webhooks.ts"
import type { Kept, MessageFilter, SandboxFault, StoredRequest } from "./Types.ts"

interface EngineOptions {
  readonly token?: string | undefined
  readonly maxMessages: number
  readonly maxRequests: number
  readonly webhookBody?: string | undefined
}

const randomToken = (): string =>
  `sandbox-${Hex.encode(crypto.getRandomValues(new Uint8Array(12)))}`

export type Engine = Effect.Success<ReturnType<typeof make>>

/** `onRequest` gets each request that has ended. */
export const make = Effect.fnUntraced(function* (
  { maxMessages, maxRequests, token: own, webhookBody }: EngineOptions,
  onRequest: (request: StoredRequest) => void = () => {}
) {
  const token = Redacted.make(own ?? randomToken())
  const changes = new Changes()
  const messages = Messages.make(maxMessages, changes, Webhooks.caller(webhookBody))
  const requests = yield* Requests.make(maxRequests, changes, onRequest)
  const faults = new FaultControl(changes)
  const respond = yield* Responder.make(messages, faults, token)

  const until = (ready: (kept: Kept) => boolean): Effect.Effect<Kept> =>
    Effect.suspend(() => {
      const kept = { messages: messages.all(), requests: requests.all() }
      return ready(kept)
        ? Effect.succeed(kept)
        : Effect.andThen(changes.after(changes.version), until(ready))
    })

  /**
   * Handles a request to the service, and records it: `body` fills its body, and `write` writes the
   * response to its end. Interrupt it when the client disconnects.
   */
  const serve = <A, E>(
    incoming: Incoming,
    body: Effect.Effect<void>,
    write: (response: Response) => Effect.Effect<A, E>
  ) =>
    Effect.suspend(() => {
      const entry = requests.begin(incoming)
      return body.pipe(
        Effect.andThen(Effect.sync(entry.arrived)),
        Effect.andThen(Effect.suspend(() => respond(incoming, entry))),
        Effect.flatMap(write),
        Effect.onExit((exit) => Effect.sync(() => entry.ended(Exit.hasInterrupts(exit))))
      )
    })

  return {
    callsWebhooks: webhookBody !== undefined,
    changes,
    messages,
    requests,
    faults,
    serve,
    /** What programs use, whichever way the sandbox is reached. */
    forPrograms: {
      token,
      messages: (filter: MessageFilter = {}) => Effect.map(check.filter(filter), messages.list),
      requests: () => Effect.sync(requests.all),
      until,
      setStatus: (messageId: string, status: string) =>
        Effect.flatMap(check.status({ messageId, status }), (valid) =>
          messages.setStatus(valid.messageId, valid.status)
        ),
      setFault: (given: SandboxFault) =>
        Effect.map(check.fault(given), (fault) => faults.set(fault)),
      clearFault: Effect.sync(() => faults.set(undefined)),
      reset: Effect.sync(() => {
        messages.clear()
        requests.clear()
        faults.set(undefined)
      })
    }
  }
})
