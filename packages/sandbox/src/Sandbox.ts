/** A mock server of the service, with the same contract, its own state, and faults on request. */
import type { Transport } from "@messaging-topup/core"
import * as FetchTransport from "@messaging-topup/core/fetch"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SandboxFault } from "./faults/Fault.ts"
import * as RunSandbox from "./server/RunSandbox.ts"
import type { Kept, MessageFilter, StoredMessage, StoredRequest } from "./record/Stored.ts"
import type { StartOptions } from "./server/StartOptions.ts"
import type { SandboxStartError } from "./server/SandboxStartError.ts"
import type { UnknownMessage } from "./record/UnknownMessage.ts"

/** The settings of a sandbox on a real port. */
export interface SandboxOptions extends Omit<StartOptions, "token"> {
  /** The access token to accept: visible ASCII characters. Defaults to a random one. */
  readonly token?: Redacted.Redacted | undefined
}

/** The settings of a sandbox without sockets. */
export interface InProcessOptions extends Omit<SandboxOptions, "host" | "port"> {}

const plain = ({ token, ...options }: SandboxOptions = {}): StartOptions => ({
  ...options,
  token: token === undefined ? undefined : Redacted.value(token)
})

/**
 * A running sandbox: its address, what it received, and its faults.
 *
 * Each sandbox keeps its own newest messages and requests in memory. It never sends anything, and
 * never calls a `webhook_url`.
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** The address, without a slash at the end. */
    readonly baseUrl: string
    /** The access token that it accepts. */
    readonly token: Redacted.Redacted
    /**
     * The kept SMS that were accepted, regardless of the response to the client, and that match the
     * whole filter, newest first. An invalid time is a defect.
     */
    readonly messages: (filter?: MessageFilter) => Effect.Effect<ReadonlyArray<StoredMessage>>
    /**
     * Sets the status that every read of this message returns from now on, until it is set again.
     * An empty status is a defect.
     */
    readonly setStatus: (
      messageId: string,
      status: string
    ) => Effect.Effect<StoredMessage, UnknownMessage>
    /**
     * The kept HTTP requests to the service, newest first: each from when its body has arrived, or
     * its client has disconnected. Requests to the control endpoints are not included.
     */
    readonly requests: () => Effect.Effect<ReadonlyArray<StoredRequest>>
    /** Waits until `ready` says true of what is kept, and returns it. */
    readonly until: (ready: (kept: Kept) => boolean) => Effect.Effect<Kept>
    /**
     * Applies the fault to the requests from now on. It replaces any other fault. An invalid fault
     * is a defect.
     */
    readonly setFault: (fault: SandboxFault) => Effect.Effect<void>
    /** Clears the fault. */
    readonly clearFault: Effect.Effect<void>
    /** Deletes the messages and the requests, and clears the fault. */
    readonly reset: Effect.Effect<void>
  }
>()("@messaging-topup/sandbox/Sandbox") {
  /**
   * Starts a real HTTP server. When the layer closes, the server stops and closes every connection.
   */
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, SandboxStartError> =>
    Layer.effect(Sandbox, Effect.map(RunSandbox.onServer(plain(options)), Sandbox.of))

  /**
   * Starts a sandbox without sockets. The layer also provides a `Transport`, which reaches the
   * sandbox at `https://sandbox.invalid`. With a fault it fails like `fetch`. It never follows a
   * redirect.
   */
  static readonly layerInProcess = (options?: InProcessOptions): Layer.Layer<Sandbox | Transport> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const { fetch, service } = yield* RunSandbox.inProcess(plain(options))
        const transport = yield* Layer.build(FetchTransport.layerFetch(fetch))
        return Context.add(transport, Sandbox, Sandbox.of(service))
      })
    )
}
