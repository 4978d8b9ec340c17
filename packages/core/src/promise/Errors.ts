/**
 * The errors of the promise client. They name no type of Effect, and the compiler checks them against
 * the classes in `Client.ts`.
 */
import type { SendOutcome } from "../errors/FailureOutcome.ts"
import type { SmsStatusRecord } from "../operations/Model.ts"

export type { SendOutcome }

interface Tagged<Tag extends string> extends Error {
  readonly _tag: Tag
}

interface OfOperation<Tag extends string> extends Tagged<Tag> {
  /** The operation that failed, such as `sendSms`. */
  readonly operation?: string
}

interface WithResponse<Tag extends string> extends OfOperation<Tag> {
  /** What names the request for the support of the service: a header of the response, such as `x-request-id`. */
  readonly requestId?: string
}

interface Documented<Tag extends string, Status extends number> extends WithResponse<Tag> {
  /** The HTTP status of the response. */
  readonly status: Status
  /** The service's own explanation, if it gave one. Printing the error does not show it. */
  readonly error: {
    readonly status?: number
    readonly title?: string
    readonly detail?: string
  }
}

/** The errors of the client, by `_tag`: `ClientErrors["NotFound"]` is one of them. */
export interface ClientErrors {
  /** A value of the call cannot be sent. Nothing was sent. */
  readonly InvalidInput: OfOperation<"InvalidInput"> & {
    /** The documented name of the field or path parameter. */
    readonly field: string
    /** What was expected. */
    readonly problem: string
  }
  /** The function of the option `token` failed, or its token cannot be sent. Nothing was sent. */
  readonly TokenUnavailable: OfOperation<"TokenUnavailable"> & {
    /** What was expected, or the name of the failure. */
    readonly problem: string
  }
  /** The request did not start: no connection could be made. Nothing was sent. */
  readonly ConnectionFailed: OfOperation<"ConnectionFailed"> & {
    /** The reason as the platform names it, such as `ECONNREFUSED`. */
    readonly code?: string
  }
  /** The connection broke after the request may have reached the service. */
  readonly ConnectionLost: WithResponse<"ConnectionLost"> & {
    /** The reason as the platform names it, such as `ECONNRESET`. */
    readonly code?: string
    /** The kind of the defect, such as `TypeError`, if the HTTP client failed with one. */
    readonly defect?: string
    /** The HTTP status, if the response had begun. */
    readonly status?: number
  }
  /** The response was not complete within the time-out of one attempt. */
  readonly RequestTimedOut: WithResponse<"RequestTimedOut"> & {
    /** The time-out of one attempt, in milliseconds. */
    readonly timeoutMillis: number
    /** False if the request was still waiting for a connection, so that nothing was sent. */
    readonly started: boolean
    /** The HTTP status, if the response had begun. */
    readonly status?: number
  }
  /** The HTTP status is not documented for the operation. */
  readonly UndocumentedStatus: WithResponse<"UndocumentedStatus"> & {
    /** The HTTP status. */
    readonly status: number
    /** The `Retry-After` header, in seconds from the response. */
    readonly retryAfterSeconds?: number
    /** The text of the response, up to 64 KiB. Printing the error does not show it. */
    readonly body: string
  }
  /** The HTTP status is documented, but the body does not match the documentation. */
  readonly InvalidResponse: WithResponse<"InvalidResponse"> & {
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
  readonly Aborted: Tagged<"Aborted"> & {
    /** False if the signal was aborted before the request started, so that nothing was sent. */
    readonly started: boolean
    /** The HTTP status, if the response had begun. */
    readonly status?: number
  }
  /** The client was closed before the call, or during `awaitSmsStatus`. Nothing was sent. */
  readonly ClientClosed: Tagged<"ClientClosed">
  /** HTTP 400. */
  readonly InvalidRequest: Documented<"InvalidRequest", 400>
  /** HTTP 401. */
  readonly AuthenticationFailed: Documented<"AuthenticationFailed", 401>
  /** HTTP 402. */
  readonly PaymentRequired: Documented<"PaymentRequired", 402>
  /** HTTP 403. */
  readonly InsufficientPermissions: Documented<"InsufficientPermissions", 403>
  /** HTTP 404. */
  readonly NotFound: Documented<"NotFound", 404>
  /** HTTP 500. */
  readonly InternalServerError: Documented<"InternalServerError", 500>
  /** No record satisfied `until` in time. */
  readonly StillPending: Tagged<"StillPending"> & {
    /** The last record that was read, if any. Printing the error does not show it. */
    readonly lastRecord?: SmsStatusRecord
  }
}

/** An error of any operation, and the errors of the given tags. */
type Rejection<Tag extends keyof ClientErrors> = ClientErrors[
  | Tag
  | "InvalidInput"
  | "TokenUnavailable"
  | "ConnectionFailed"
  | "ConnectionLost"
  | "RequestTimedOut"
  | "UndocumentedStatus"
  | "InvalidResponse"
  | "Aborted"
  | "ClientClosed"]

/** What `sendSms` rejects with. */
export type SendSmsRejection = Rejection<
  | "InvalidRequest"
  | "AuthenticationFailed"
  | "PaymentRequired"
  | "InsufficientPermissions"
  | "NotFound"
  | "InternalServerError"
> & {
  /** Whether the SMS went out. */
  readonly sendOutcome: SendOutcome
}

/** What `getSmsStatus` and `getAirtimeStatus` reject with. */
export type StatusRejection = Rejection<
  | "InvalidRequest"
  | "AuthenticationFailed"
  | "InsufficientPermissions"
  | "NotFound"
  | "InternalServerError"
>

/** What `getDataBundleStatus` and `listDataBundles` reject with. */
export type DataBundleRejection = Rejection<"InvalidRequest">

/** What a read rejects with. */
export type ReadRejection = StatusRejection | DataBundleRejection

/** What `awaitSmsStatus` rejects with. */
export type AwaitSmsStatusRejection = StatusRejection | ClientErrors["StillPending"]

/** Everything that the client rejects with. */
export type MessagingTopupError = SendSmsRejection | ReadRejection | ClientErrors["StillPending"]
