/** The types of the promise client. They name no type of Effect. */
import type {
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesOptions,
  ListDataBundlesResponse,
  SendSmsRequest,
  SendSmsResponse,
  SmsStatusRecord
} from "../operations/Model.ts"
import type { ReadRejection } from "./Errors.ts"

export type * from "../operations/Model.ts"
export type * from "./Errors.ts"

/** Where the service is, and how it is called. */
export interface CreateClientOptions {
  /**
   * The URL of the service. A path prefix is kept. Must be https, except on loopback. Must not have
   * credentials, a query or a fragment.
   */
  readonly baseUrl: string
  /**
   * The access token, as it was issued; or a function that returns it, for tokens that change. Each call
   * runs the function once. If it fails, the call rejects with `TokenUnavailable`.
   */
  readonly token: string | (() => string | Promise<string>)
  /**
   * The time-out of one attempt, including the response body, in milliseconds. Defaults to 30,000.
   */
  readonly timeoutMillis?: number | undefined
  /**
   * How often a read is retried after a lost connection, a time-out, 429, 500, 502, 503 or 504.
   * Defaults to 2. Sends ignore this option: a send is never retried once its request started.
   */
  readonly readRetries?: number | undefined
  /** The maximum size of a response body, in bytes. Defaults to 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Allows http to a host that is not loopback. The network can then read the token. Defaults to
   * false.
   */
  readonly allowInsecureHttp?: boolean | undefined
  /**
   * A function to use in place of the transport. A connection failure of it is `"unknown"`, also if no
   * request started, because it may have sent, tried again, and report only its last error.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** The options of connections and of the User-Agent. Only on Node and Deno, and without `fetch`. */
  readonly transport?: TransportOptions | undefined
}

/** The options of connections and of the User-Agent. */
export interface TransportOptions {
  /** The maximum number of connections. Further calls wait for a free one. Defaults to 100. */
  readonly connections?: number | undefined
  /**
   * The time-out for making a connection, including the TLS handshake and a proxy's response to
   * CONNECT, in milliseconds. Defaults to 10,000.
   */
  readonly connectTimeoutMillis?: number | undefined
  /**
   * The URL of a proxy. `"env"` reads it from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` when the
   * client is created; names in lower case come first. Defaults to `"env"` if `NODE_USE_ENV_PROXY` is 1,
   * as for Node's `fetch`, otherwise to no proxy.
   */
  readonly proxy?: string | undefined
  /**
   * Certificates of trusted authorities, in PEM, for the service and for a proxy. They replace Node's
   * own list.
   */
  readonly ca?: string | ReadonlyArray<string> | undefined
  /** The client's certificate, in PEM. */
  readonly cert?: string | undefined
  /** The key of the client's certificate, in PEM. */
  readonly key?: string | undefined
  /**
   * A text, such as `my-app/1.0`, that follows `messaging-topup/<version>` in the User-Agent
   * header.
   */
  readonly userAgent?: string | undefined
}

/** The options of one call. */
export interface CallOptions {
  /** Aborts the request. The call then rejects with `Aborted`. */
  readonly signal?: AbortSignal | undefined
  /**
   * The time-out of the call, with its retries and the waits between them, in milliseconds. By default
   * there is none, and each attempt has the `timeoutMillis` of the client.
   */
  readonly timeoutMillis?: number | undefined
}

/** How often the status is read, and when the wait ends. */
export interface AwaitSmsStatusOptions extends CallOptions {
  /**
   * Returns true if this record ends the wait. The service does not document which statuses are
   * final.
   */
  readonly until: (record: SmsStatusRecord) => boolean
  /** The pause between two reads, in milliseconds. At least 1. */
  readonly intervalMillis: number
  /** The time-out of the whole wait, in milliseconds. Positive and finite. */
  readonly timeoutMillis: number
  /**
   * Returns true if the wait continues after this error, such as a `NotFound` right after the send
   * or a short outage. By default, every error ends the wait.
   */
  readonly continueOn?: ((error: ReadRejection) => boolean) | undefined
}

/**
 * The five operations as promises.
 *
 * Every rejection is one of the errors above; `_tag` says which. A rejection of `sendSms` has the
 * property `sendOutcome`. The errors are not instances of the classes of `@messaging-topup/core`.
 */
export interface MessagingTopupClient extends AsyncDisposable {
  /**
   * Sends an SMS. One call starts at most one request: the call is retried only if its request did
   * not start. Rejections are `SendSmsRejection`: `sendOutcome` says whether the SMS went out. A
   * browser may resend a POST on its own, so send from a server.
   *
   * Source: service description §4.1, POST /sms/send
   */
  readonly sendSms: (request: SendSmsRequest, options?: CallOptions) => Promise<SendSmsResponse>
  /**
   * Returns the status of one SMS. Rejections are `StatusRejection`.
   *
   * Source: service description §4.2, GET /sms/{message_id}
   */
  readonly getSmsStatus: (messageId: string, options?: CallOptions) => Promise<GetSmsStatusResponse>
  /**
   * Returns the purchase history of an airtime purchase. Rejections are `StatusRejection`.
   *
   * Source: service description §4.3, GET /v1/airtime/{referencecode}
   */
  readonly getAirtimeStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetAirtimeStatusResponse>
  /**
   * Returns the status of a purchased data bundle. Rejections are `DataBundleRejection`.
   *
   * Source: service description §4.4, GET /v1/databundle/{referencecode}
   */
  readonly getDataBundleStatus: (
    referenceCode: string,
    options?: CallOptions
  ) => Promise<GetDataBundleStatusResponse>
  /**
   * Returns the available data bundles. Rejections are `DataBundleRejection`.
   *
   * Source: service description §4.5, GET /v1/list-bundles
   */
  readonly listDataBundles: (
    options?: ListDataBundlesOptions & CallOptions
  ) => Promise<ListDataBundlesResponse>
  /**
   * Reads the status of an SMS until a record satisfies `until`, and resolves with that record.
   * Rejections are `AwaitSmsStatusRejection`.
   *
   * Source: service description §4.2, GET /sms/{message_id}
   */
  readonly awaitSmsStatus: (
    messageId: string,
    options: AwaitSmsStatusOptions
  ) => Promise<SmsStatusRecord>
  /** Returns the encoding, the segments and the remaining units of a text, without sending it. */
  readonly previewSms: (message: string) => Promise<SmsPreview>
  /**
   * Waits for the calls in flight, so that no send is interrupted, then closes the connections. Ends
   * `awaitSmsStatus`. That call, and later ones, reject with `ClientClosed`. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

/** The encoding and the segments of a message. */
export interface SmsPreview {
  /** UCS-2 if at least one character is not in GSM-7. */
  readonly encoding: "GSM-7" | "UCS-2"
  /** The number of segments. Each one is charged. */
  readonly segments: number
  /** Total units: a unit is a septet in GSM-7, a UTF-16 code unit in UCS-2. */
  readonly units: number
  /** Units per segment. */
  readonly unitsPerSegment: number
  /** Units left in the last segment. */
  readonly remaining: number
  /** Characters that force UCS-2, in order of first appearance. */
  readonly ucs2Characters: ReadonlyArray<string>
}
