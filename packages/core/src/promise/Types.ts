/// <reference lib="esnext.disposable" preserve="true" />
/** The types of the promise client. They name no type of Effect or of Node. */
import type { ConnectionOptions, ServiceOptions } from "../call/Options.ts"
import { isFailure, type SendOutcome } from "../errors/Failure.ts"
import type { Aborted, ClientClosed } from "../errors/PromiseFailures.ts"
import type { ListDataBundlesOptions, Operations } from "../operations/Model.ts"

export type * from "../operations/Model.ts"
export type { SendOutcome }

/** What the client uses of undici's `Dispatcher`, whose own declarations need `@types/node`. */
export interface UndiciDispatcher {
  /** Starts a request. */
  readonly dispatch: (options: never, handler: never) => boolean
}

/** Where the service is, and how it is called. */
export interface CreateClientOptions extends ServiceOptions<string, number>, ConnectionOptions {
  /**
   * undici's dispatcher to use in place of the client's own connections: for a certificate, a proxy or
   * another time-out of the connection. You close it. It must not retry, and must use HTTP/1.1 only: a
   * `Client` or a `Pool` needs `allowH2: false`. Not with `connections`. Only on Node and Deno.
   */
  readonly dispatcher?: UndiciDispatcher | undefined
  /**
   * A function to use in place of the client's own connections. Every failure of it without a response is
   * `"unknown"`, because it may have sent, tried again, and report only its last error. Not with
   * `connections`, `userAgent` or `dispatcher`, which only Node and Deno have.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Called with one line for each call that ended, such as
   * `sendSms: unknown, RequestTimedOut, 1 request, 30002 ms`: `debug: console.error` prints them. A line has no token,
   * phone number, id or text. It is for people, and its words can change: a program and a test look at what the call
   * returned or rejected with, at its `_tag`, `sendOutcome` and `status`.
   */
  readonly debug?: ((line: string) => void) | undefined
}

/** The options of one call. */
export interface CallOptions {
  /**
   * Aborts the request. The call then rejects with `Aborted`. `AbortSignal.timeout(ms)` limits the time of
   * the call, with its retries and the waits between them.
   */
  readonly signal?: AbortSignal | undefined
}

type Methods = {
  // With `as`, the methods have the documentation of the operations.
  readonly [Name in keyof Operations as Exclude<Name, "listDataBundles">]: (
    ...input: [...Operations[Name]["input"], options?: CallOptions]
  ) => Promise<Operations[Name]["success"]>
}

/**
 * The five operations as promises.
 *
 * Every rejection is an instance of one of the error classes; `_tag` says which. One of `sendSms` has the
 * property `sendOutcome`.
 */
export interface MessagingTopupClient extends Methods, AsyncDisposable {
  /**
   * Returns the available data bundles.
   *
   * Source: service description §4.5, GET /v1/list-bundles
   */
  readonly listDataBundles: (
    options?: ListDataBundlesOptions & CallOptions
  ) => Promise<Operations["listDataBundles"]["success"]>
  /**
   * Waits for the calls in flight, so that no send is interrupted, then closes the connections. Later calls
   * reject with `ClientClosed`. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

/** What an operation rejects with. */
export type Rejection<Name extends keyof Operations> =
  | Operations[Name]["error"]
  | Aborted
  | ClientClosed

/** What `sendSms` rejects with. */
export type SendSmsRejection = Rejection<"sendSms"> & {
  /** Whether the SMS went out. */
  readonly sendOutcome: SendOutcome
}

/** Returns whether a value is a rejection of `sendSms`. */
export const isSendSmsRejection = (error: unknown): error is SendSmsRejection =>
  isFailure(error) && error.operation === "sendSms" && error.sendOutcome !== undefined
