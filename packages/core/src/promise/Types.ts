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
} from "../operations/Model.ts"

export type * from "../operations/Model.ts"

/**
 * Where the service is, and how it is called.
 *
 * @since 0.1.0
 */
export interface CreateClientOptions {
  /**
   * The URL of the service. A path prefix is kept. Must be https, except on loopback. Must not have
   * credentials, a query or a fragment.
   */
  readonly baseUrl: string
  /** The access token, as it was issued. */
  readonly token: string
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
}

/**
 * The options of one call.
 *
 * @since 0.1.0
 */
export interface CallOptions {
  /** Aborts the request. The call then rejects with `Aborted`. */
  readonly signal?: AbortSignal | undefined
}

/**
 * How often the status is read, and when the wait ends.
 *
 * @since 0.1.0
 */
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
 * Whether an SMS went out.
 *
 * - `"not-sent"`: the SMS did not go out. It is safe to send it again.
 * - `"unknown"`: the SMS may have gone out, and the service offers no way to find out. This library never
 *   resends it; a person decides.
 * - `"sent"`: the service accepted the SMS. Do not send it again.
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
  /** The service's own explanation, if it gave one. Printing the error does not show it. */
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
  /** False if the request was still waiting for a connection, so that nothing was sent. */
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
  /** The text of the response, up to 64 KiB. Printing the error does not show it. */
  readonly body: string
}

/** The HTTP status is documented, but the body does not match the documentation. */
export interface InvalidResponse extends OfOperation<"InvalidResponse"> {
  /** The HTTP status. */
  readonly status: number
  /** What is wrong in the body, and where. */
  readonly problem: string
  /** False for a 202 whose body says `success: false`. */
  readonly success?: false
  /** The text of the response, up to 64 KiB. Printing the error does not show it. */
  readonly body: string
}

/** The caller's `AbortSignal` ended the call. Its `name` is `AbortError`. */
export interface Aborted extends Tagged<"Aborted"> {
  /** False if the signal was aborted before the request started, so that nothing was sent. */
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

/** No record satisfied `until` in time. */
export interface StillPending extends Tagged<"StillPending"> {
  /** The last record that was read, if any. Printing the error does not show it. */
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
 * Everything that the client rejects with.
 *
 * @since 0.1.0
 */
export type MessagingTopupError = SendSmsRejection | ReadRejection | StillPending

/**
 * The five operations as promises.
 *
 * Every rejection is one of the errors above; `_tag` says which. A rejection of `sendSms` has the
 * property `sendOutcome`. The errors are not instances of the classes of `@messaging-topup/core`.
 *
 * @since 0.1.0
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
   * Waits for the calls in flight, so that no send is interrupted, then closes the connections.
   * Later calls reject with `ClientClosed`. `await using` does the same.
   */
  readonly close: () => Promise<void>
}

/**
 * The encoding and the segments of a message.
 *
 * @since 0.1.0
 */
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
