/**
 * The types of the promise client. They name no type of Effect.
 *
 * @since 0.1.0
 */
import type {
  GetAirtimeStatusResponse,
  GetDataBundleStatusResponse,
  GetSmsStatusResponse,
  ListDataBundlesOptions,
  ListDataBundlesResponse,
  SendSmsRequest,
  SendSmsResponse,
  SmsStatusRecord
} from "../Model.ts"

export type * from "../Model.ts"

/**
 * Where the service is, and how it is called.
 *
 * @since 0.1.0
 */
export interface CreateClientOptions {
  /**
   * Where the service is. A path prefix is kept. Must be https, except on loopback. No credentials,
   * query or fragment.
   */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: string
  /** For one attempt, its body included, in milliseconds. Default: 30,000. */
  readonly timeoutMillis?: number | undefined
  /**
   * How often a read is retried after a lost connection, a time-out, 429, 500, 502, 503 or 504.
   * Default: 2. A send is never retried once its request started.
   */
  readonly readRetries?: number | undefined
  /** The largest body of a response, in bytes. Default: 10 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Allows http to a host that is not loopback: the token is then readable on the way. */
  readonly allowInsecureHttp?: boolean | undefined
}

/**
 * What one call may be told.
 *
 * @since 0.1.0
 */
export interface CallOptions {
  /** Ends the call: it rejects with `Aborted`, and the request is aborted. */
  readonly signal?: AbortSignal | undefined
}

/**
 * When to ask again, and when to stop.
 *
 * @since 0.1.0
 */
export interface AwaitSmsStatusOptions extends CallOptions {
  /** Whether this record ends the wait. Which statuses are final is not documented. */
  readonly until: (record: SmsStatusRecord) => boolean
  /** How long to wait between two reads, in milliseconds: at least 1. */
  readonly intervalMillis: number
  /** For the whole wait, in milliseconds; positive and finite. */
  readonly timeoutMillis: number
  /**
   * Whether the wait goes on after this error, such as a `NotFound` right after the send or a short
   * outage. Default: every error ends the wait.
   */
  readonly continueOn?: ((error: ReadRejection) => boolean) | undefined
}

/**
 * - `"not-sent"`: it did not go out; sending again is safe.
 * - `"unknown"`: it may have gone out, and the service offers nothing to look it up by. This library
 *   never resends it; a person decides.
 * - `"sent"`: the service accepted it; do not send again.
 *
 * @since 0.1.0
 */
export type SendOutcome = "not-sent" | "unknown" | "sent"

interface Tagged<Tag extends string> extends Error {
  readonly _tag: Tag
}

interface OfOperation<Tag extends string> extends Tagged<Tag> {
  /** The operation that failed, such as `sendSms`. */
  readonly operation?: string
}

interface Documented<Tag extends string, Status extends number> extends OfOperation<Tag> {
  /** The HTTP status of the response. */
  readonly status: Status
  /** The service's own words, as far as it gave them; in no rendering of the error. */
  readonly error: {
    readonly status?: number
    readonly title?: string
    readonly detail?: string
  }
}

/** A value of the call cannot be sent. Nothing was sent. */
export interface InvalidInput extends OfOperation<"InvalidInput"> {
  /** The documented name of the field or path parameter. */
  readonly field: string
  /** What was expected. */
  readonly problem: string
}

/** The request did not start: no connection could be made. Nothing was sent. */
export interface ConnectionFailed extends OfOperation<"ConnectionFailed"> {
  /** The reason as the platform names it, such as `ECONNREFUSED`. */
  readonly code?: string
}

/** The connection broke after the request may have reached the service. */
export interface ConnectionLost extends OfOperation<"ConnectionLost"> {
  /** The reason as the platform names it, such as `ECONNRESET`. */
  readonly code?: string
  /** The HTTP status, if the response had begun. */
  readonly status?: number
}

/** The response was not complete within the time-out of one attempt. */
export interface RequestTimedOut extends OfOperation<"RequestTimedOut"> {
  /** The time-out of one attempt, in milliseconds. */
  readonly timeoutMillis: number
  /** False if the request was still waiting for a connection: then nothing was sent. */
  readonly started: boolean
  /** The HTTP status, if the response had begun. */
  readonly status?: number
}

/** The HTTP status is not documented for the operation. */
export interface UndocumentedStatus extends OfOperation<"UndocumentedStatus"> {
  /** The HTTP status. */
  readonly status: number
  /** The `Retry-After` header, in seconds from the response. */
  readonly retryAfterSeconds?: number
  /** The text of the response, at most 64 KiB of it; in no rendering of the error. */
  readonly body: string
}

/** The status is documented, the body is not the documented one. */
export interface InvalidResponse extends OfOperation<"InvalidResponse"> {
  /** The HTTP status. */
  readonly status: number
  /** What is wrong with it, and where. */
  readonly problem: string
  /** False if the body of a success says so. */
  readonly success?: false
  /** The text of the response, at most 64 KiB of it; in no rendering of the error. */
  readonly body: string
}

/** The caller's `AbortSignal` ended the call. Its `name` is `AbortError`. */
export interface Aborted extends Tagged<"Aborted"> {
  /** False if the signal was aborted before the request started: then nothing was sent. */
  readonly started: boolean
}

/** The client was closed before the call. Nothing was sent. */
export interface ClientClosed extends Tagged<"ClientClosed"> {}

/** HTTP 400. */
export interface InvalidRequest extends Documented<"InvalidRequest", 400> {}

/** HTTP 401. */
export interface AuthenticationFailed extends Documented<"AuthenticationFailed", 401> {}

/** HTTP 402. */
export interface PaymentRequired extends Documented<"PaymentRequired", 402> {}

/** HTTP 403. */
export interface InsufficientPermissions extends Documented<"InsufficientPermissions", 403> {}

/** HTTP 404. */
export interface NotFound extends Documented<"NotFound", 404> {}

/** HTTP 500. */
export interface InternalServerError extends Documented<"InternalServerError", 500> {}

/** The time was up before a record satisfied `until`. */
export interface StillPending extends Tagged<"StillPending"> {
  /** The last record that was read, absent if there was none; in no rendering of the error. */
  readonly lastRecord?: SmsStatusRecord
}

type ClientFailure =
  | InvalidInput
  | ConnectionFailed
  | ConnectionLost
  | RequestTimedOut
  | UndocumentedStatus
  | InvalidResponse
  | Aborted
  | ClientClosed

/**
 * What `sendSms` rejects with.
 *
 * @since 0.1.0
 */
export type SendSmsRejection = (
  | ClientFailure
  | InvalidRequest
  | AuthenticationFailed
  | PaymentRequired
  | InsufficientPermissions
  | NotFound
  | InternalServerError
) & {
  /** Whether the SMS went out. */
  readonly sendOutcome: SendOutcome
}

/**
 * What `getSmsStatus` and `getAirtimeStatus` reject with.
 *
 * @since 0.1.0
 */
export type StatusRejection =
  | ClientFailure
  | InvalidRequest
  | AuthenticationFailed
  | InsufficientPermissions
  | NotFound
  | InternalServerError

/**
 * What `getDataBundleStatus` and `listDataBundles` reject with.
 *
 * @since 0.1.0
 */
export type DataBundleRejection = ClientFailure | InvalidRequest

/**
 * What a read rejects with.
 *
 * @since 0.1.0
 */
export type ReadRejection = StatusRejection | DataBundleRejection

/**
 * What `awaitSmsStatus` rejects with.
 *
 * @since 0.1.0
 */
export type AwaitSmsStatusRejection = StatusRejection | StillPending

/**
 * Whatever the client rejects with.
 *
 * @since 0.1.0
 */
export type MessagingTopupError = SendSmsRejection | ReadRejection | StillPending

/**
 * The five operations as promises.
 *
 * Every rejection is one of the errors above; tell them apart by `_tag`. Those of `sendSms` carry
 * `sendOutcome`. They are not instances of the classes of `@messaging-topup/core`.
 *
 * @since 0.1.0
 */
export interface MessagingTopupClient extends AsyncDisposable {
  /**
   * Sends an SMS. One call is one request: it is retried only if its request did not start.
   * Rejections (`SendSmsRejection`) say in `sendOutcome` whether the SMS went out. A browser may resend
   * a POST on its own, so send from a server.
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
  /** Encoding, segments and remaining units of a text, without sending it. */
  readonly previewSms: (message: string) => Promise<SmsPreview>
  /**
   * Waits for the calls in flight, so that no send is cut off, and closes the connections. Later calls
   * reject with `ClientClosed`. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

/**
 * What a message will look like on the air.
 *
 * @since 0.1.0
 */
export interface SmsPreview {
  /** UCS-2 as soon as one character is not in GSM-7. */
  readonly encoding: "GSM-7" | "UCS-2"
  /** Segments; each is paid for. */
  readonly segments: number
  /** Units in all: a septet in GSM-7, a UTF-16 code unit in UCS-2. */
  readonly units: number
  /** Units that a segment holds. */
  readonly unitsPerSegment: number
  /** Units that are free in the last segment. */
  readonly remaining: number
  /** Characters that force UCS-2, in order of first appearance. */
  readonly ucs2Characters: ReadonlyArray<string>
}
