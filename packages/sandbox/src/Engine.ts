/** What a sandbox keeps, its fault, and what programs do with both. */
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { FaultControl } from "./faults/FaultControl.ts"
import { Changes } from "./kept/Changes.ts"
import * as Messages from "./kept/Messages.ts"
import * as Requests from "./kept/Requests.ts"
import { check } from "./Schemas.ts"
import * as Webhooks from "./kept/Webhooks.ts"
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

  const until = (ready: (kept: Kept) => boolean): Effect.Effect<Kept> =>
    Effect.suspend(() => {
      const kept = { messages: messages.all(), requests: requests.all() }
      return ready(kept)
        ? Effect.succeed(kept)
        : Effect.andThen(changes.after(changes.version), until(ready))
    })

  return {
    callsWebhooks: webhookBody !== undefined,
    changes,
    messages,
    requests,
    faults,
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
