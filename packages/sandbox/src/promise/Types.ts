/** The types of `startSandbox`. They name no type of Effect. */
import type { SandboxFault } from "../faults/Fault.ts"
import type { Kept, MessageFilter, StoredMessage, StoredRequest } from "../record/Stored.ts"
import type { StartOptions } from "../server/StartOptions.ts"

export type { Kept, MessageFilter, SandboxFault, StartOptions, StoredMessage, StoredRequest }

/** A running sandbox. */
export interface SandboxHandle extends AsyncDisposable {
  /** The address, without a slash at the end. */
  readonly baseUrl: string
  /** The access token that it accepts. */
  readonly token: string
  /** Returns the kept messages that match the whole filter, newest first. */
  readonly messages: (filter?: MessageFilter) => Promise<ReadonlyArray<StoredMessage>>
  /**
   * Returns the kept requests to the five endpoints, newest first: each from when its body has
   * arrived, or its client has disconnected.
   */
  readonly requests: () => Promise<ReadonlyArray<StoredRequest>>
  /** Waits until `ready` says true of what is kept, and returns it. */
  readonly until: (ready: (kept: Kept) => boolean) => Promise<Kept>
  /** Applies the fault to the requests from now on. It replaces any other fault. */
  readonly setFault: (fault: SandboxFault) => Promise<void>
  /** Clears the fault. */
  readonly clearFault: () => Promise<void>
  /**
   * Sets the status that every read of this message returns from now on, until it is set again. It
   * must not be empty.
   */
  readonly setStatus: (messageId: string, status: string) => Promise<StoredMessage>
  /** Deletes the messages and the requests, and clears the fault. */
  readonly reset: () => Promise<void>
  /** Stops listening and closes every connection. `await using` does the same. */
  readonly close: () => Promise<void>
}

/**
 * The errors that `startSandbox` and the functions of a sandbox reject with.
 *
 * - `InvalidInput`: an option, a filter, a fault or a status is invalid.
 * - `SandboxStartError`: the sandbox cannot listen.
 * - `UnknownMessage`: there is no message with this id.
 */
export interface SandboxError extends Error {
  readonly _tag: "InvalidInput" | "SandboxStartError" | "UnknownMessage"
}
