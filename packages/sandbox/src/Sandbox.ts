/**
 * A mock server of the service: the same contract, a state of its own, and faults on request.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { StoredMessage } from "./control/Model.ts"
import type { MessageFilter } from "./control/Pages.ts"
import type { Fault, FaultOptions } from "./Fault.ts"
import * as Running from "./internal/Running.ts"
import type { AcceptedSms, ReceivedRequest } from "./Recorded.ts"
import type { InProcessOptions, SandboxOptions } from "./SandboxOptions.ts"
import type { SandboxStartError } from "./SandboxStartError.ts"
import type { UnknownMessage } from "./UnknownMessage.ts"

/**
 * A running sandbox: where it is, what it saw, what it should do wrong.
 *
 * Each sandbox has a state of its own, in memory: the newest messages and requests. Nothing is ever
 * sent, and `webhook_url` is never called.
 *
 * @since 0.1.0
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** Without a slash at the end. */
    readonly baseUrl: string
    readonly token: Redacted.Redacted
    /** The kept SMS that count as accepted, in order, whatever the client was told. */
    readonly accepted: Effect.Effect<ReadonlyArray<AcceptedSms>>
    /**
     * The kept SMS with status and preview, newest first; those that match all of the filter. A time that
     * is none is a defect.
     */
    readonly messages: (filter?: MessageFilter) => Effect.Effect<ReadonlyArray<StoredMessage>>
    /**
     * Sets what every read of this message returns from now on, until it is set again. An empty status
     * is a defect.
     */
    readonly setStatus: (
      messageId: string,
      status: string
    ) => Effect.Effect<StoredMessage, UnknownMessage>
    /**
     * The kept HTTP requests to the service, complete or not, in order. Those to the control endpoints
     * are not among them.
     */
    readonly received: Effect.Effect<ReadonlyArray<ReceivedRequest>>
    /**
     * Waits until this many requests have arrived with their bodies, or broke off, whether they are kept
     * or not. Returns those that are.
     */
    readonly awaitReceived: (count: number) => Effect.Effect<ReadonlyArray<ReceivedRequest>>
    /**
     * Waits until a client goes away before its response is complete, and returns that request. None that
     * is kept is missed: each one is returned once, also when it happened before this was called.
     */
    readonly nextDisconnect: Effect.Effect<ReceivedRequest>
    /**
     * Applies the fault to the requests that come from now on, in place of any other. One that is not as
     * described is a defect.
     */
    readonly setFault: (fault: Fault, options?: FaultOptions) => Effect.Effect<void>
    readonly clearFault: Effect.Effect<void>
    /** Forgets the messages, the requests, the disconnects and the fault. */
    readonly reset: Effect.Effect<void>
  }
>()("@messaging-topup/sandbox/Sandbox") {
  /**
   * A real HTTP server. With the layer it stops listening and closes every connection.
   *
   * @since 0.1.0
   */
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, SandboxStartError> =>
    Layer.effect(
      Sandbox,
      Effect.map(Running.onServer(options ?? {}), ({ service }) => Sandbox.of(service))
    )

  /**
   * No sockets: the `HttpClient` that comes with it responds for `https://sandbox.invalid`, and
   * fails as `fetch` does under a fault. It never follows a redirect.
   *
   * @since 0.1.0
   */
  static readonly layerInProcess = (
    options?: InProcessOptions
  ): Layer.Layer<Sandbox | HttpClient.HttpClient> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const { fetch, service } = yield* Running.inProcess(options ?? {})
        const transport = yield* Layer.build(
          Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))
        )
        return Context.add(transport, Sandbox, Sandbox.of(service))
      })
    )
}
