/** A mock server of the service, with the same contract, its own state, and faults on request. */
import { MessagingTopup, Transport } from "@messaging-topup/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ListenFailed } from "./server/Port.ts"
import type { UnknownMessage } from "./kept/Messages.ts"
import * as Start from "./server/Start.ts"
import type {
  Kept,
  MessageFilter,
  SandboxFault,
  StartOptions,
  StoredMessage,
  StoredRequest
} from "./Types.ts"

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
 * calls a `webhook_url` only with the option `webhookBody`. Invalid input is a defect.
 */
export class Sandbox extends Context.Service<
  Sandbox,
  {
    /** The address, without a slash at the end. */
    readonly baseUrl: string
    /** The access token that it accepts. */
    readonly token: Redacted.Redacted
    /** The kept SMS that match the whole filter, newest first, whatever response the client got. */
    readonly messages: (filter?: MessageFilter) => Effect.Effect<ReadonlyArray<StoredMessage>>
    /** The kept requests to the five endpoints, newest first. */
    readonly requests: () => Effect.Effect<ReadonlyArray<StoredRequest>>
    /** Waits until `ready` says true of what is kept, and returns it. */
    readonly until: (ready: (kept: Kept) => boolean) => Effect.Effect<Kept>
    /** Sets the status that every read of this message returns from now on. */
    readonly setStatus: (
      messageId: string,
      status: string
    ) => Effect.Effect<StoredMessage, UnknownMessage>
    /** Applies the fault to the requests from now on. It replaces any other fault. */
    readonly setFault: (fault: SandboxFault) => Effect.Effect<void>
    /** Clears the fault. */
    readonly clearFault: Effect.Effect<void>
    /** Deletes the messages and the requests, and clears the fault. */
    readonly reset: Effect.Effect<void>
  }
>()("@messaging-topup/sandbox/Sandbox") {
  /** Starts a real HTTP server. When the layer closes, the server stops and closes every connection. */
  static readonly layer = (options?: SandboxOptions): Layer.Layer<Sandbox, ListenFailed> =>
    Layer.effect(Sandbox, Effect.map(Start.onServer(plain(options)), Sandbox.of))

  /**
   * Starts a sandbox without sockets. The layer also provides a `Transport`, which reaches the
   * sandbox at `https://sandbox.invalid`. With a fault it fails like `fetch`.
   */
  static readonly layerInProcess = (options?: InProcessOptions): Layer.Layer<Sandbox | Transport> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const { forPrograms, transport } = yield* Start.inProcess(plain(options))
        return Context.make(Transport, transport).pipe(
          Context.add(Sandbox, Sandbox.of(forPrograms))
        )
      })
    )

  /** Starts a sandbox without sockets, and builds `MessagingTopup` on it, for tests. */
  static readonly layerClient = (
    options?: InProcessOptions
  ): Layer.Layer<Sandbox | MessagingTopup | Transport> => {
    const client = Effect.map(Sandbox, ({ baseUrl, token }) =>
      MessagingTopup.layer({ baseUrl, token })
    )
    return Layer.unwrap(client).pipe(
      Layer.orDie,
      Layer.provideMerge(Sandbox.layerInProcess(options))
    )
  }
}
