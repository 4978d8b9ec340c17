/**
 * The error responses that the service documents, one class per status. Each operation declares which
 * of them it can fail with.
 *
 * Source: service description §7
 */
import {
  failure,
  type Failure,
  isFailure,
  type OfCall,
  type SendOutcome,
  whereTokenIs
} from "./Failure.ts"
import type { ClientFailure } from "./ClientFailures.ts"

/**
 * The service's explanation of an error. A field is absent if the service did not send it.
 *
 * Source: service description §2.7
 */
export interface ErrorDetail {
  /** HTTP status code. The description shows only a placeholder here: rely on `status` of the error. */
  readonly status?: number
  /** Short title of the error. */
  readonly title?: string
  /** Explanation. */
  readonly detail?: string
}

/** What is known about a documented error status. */
interface Definition<Status extends number, Concerns> {
  readonly status: Status
  /**
   * What another call would meet: the same error for this request, for every request of the account, or
   * perhaps another response of the service. What concerns the request ends its send, so that no SMS of it may
   * have gone out: where one may have, a person decides, and this is `"service"`.
   */
  readonly concerns: Concerns
  /** In the words of the service description. */
  readonly title: string
  /** That of an operation for which the description has another one, by its name. */
  readonly titles?: Readonly<Record<string, string>>
  /** What happened, then what to do. */
  readonly advice: string
  /**
   * Whether an SMS went out, if the service responds to `sendSms` with this status. `"not-sent"` only if the
   * service promises that no SMS of this request, nor of an earlier one with its id, went out; in doubt
   * `"unknown"`.
   */
  readonly sendOutcome: Concerns extends "request" ? "not-sent" : SendOutcome
}

/** What the error of one status has. */
interface Fields<Status extends number> extends OfCall {
  /** The HTTP status of the response; `error.status` is what its body says. */
  readonly status: Status
  /** The service's own words. The message does not repeat them, and printing the error does not show them. */
  readonly error: ErrorDetail
}

/** The base class of one status. */
type Base<Tag extends string, Status extends number, Concerns> = Definition<Status, Concerns> & {
  readonly tag: Tag
  new (given: OfCall & { readonly error?: ErrorDetail }): Failure<Tag> & Readonly<Fields<Status>>
}

/** Makes the base class of one status. Its definition can be read from the class. */
const documentedError = <
  const Tag extends string,
  const Status extends number,
  const Concerns extends "request" | "account" | "service"
>(
  tag: Tag,
  definition: Definition<Status, Concerns>
): Base<Tag, Status, Concerns> => {
  const { advice, sendOutcome, status } = definition
  class DocumentedError extends failure<Fields<Status>>()(tag, {
    message: () => `${advice} (HTTP ${status})`,
    outcome: () => sendOutcome,
    hidden: { error: {} }
  }) {
    constructor({ error = {}, operation }: OfCall & { readonly error?: ErrorDetail }) {
      super({ operation, status, error })
    }
  }
  return Object.assign(DocumentedError, definition, { tag })
}

/** HTTP 400, "Invalid Request Value". */
export class InvalidRequest extends documentedError("InvalidRequest", {
  status: 400,
  concerns: "request",
  title: "Invalid Request Value",
  advice: "The service refused a value of the request: correct it and call again",
  sendOutcome: "not-sent"
}) {}

/** HTTP 401, "Authentication failed". */
export class AuthenticationFailed extends documentedError("AuthenticationFailed", {
  status: 401,
  concerns: "account",
  title: "Authentication failed",
  advice: `The service did not accept the access token: check ${whereTokenIs}`,
  sendOutcome: "not-sent"
}) {}

/** HTTP 402, "Payment Required". */
export class PaymentRequired extends documentedError("PaymentRequired", {
  status: 402,
  concerns: "account",
  title: "Payment Required",
  advice: "The service asks for payment before it sends: settle the account, then send again",
  sendOutcome: "not-sent"
}) {}

/** HTTP 403, "Insufficient permissions". */
export class InsufficientPermissions extends documentedError("InsufficientPermissions", {
  status: 403,
  concerns: "account",
  title: "Insufficient permissions",
  advice: "The access token has no permission for this operation: use one that has",
  sendOutcome: "not-sent"
}) {}

/** HTTP 404, "Not found", or "Unknown message id" of `getSmsStatus`. */
export class NotFound extends documentedError("NotFound", {
  status: 404,
  concerns: "request",
  title: "Not found",
  titles: { getSmsStatus: "Unknown message id" },
  advice: "The service did not find what was asked for: check the identifier, and the base URL",
  sendOutcome: "not-sent"
}) {}

/** HTTP 500, "Internal server error". */
export class InternalServerError extends documentedError("InternalServerError", {
  status: 500,
  concerns: "service",
  title: "Internal server error",
  advice: "The service failed: if that lasts, ask its support",
  sendOutcome: "unknown"
}) {}

/**
 * The classes, by tag. Each has its `status`, its `title` in the service description, the `sendOutcome`
 * that it means after `sendSms`, and what it `concerns`: this request, the account with all its requests,
 * or the service.
 */
export const documentedErrors = {
  InvalidRequest,
  AuthenticationFailed,
  PaymentRequired,
  InsufficientPermissions,
  NotFound,
  InternalServerError
} as const

/** The class of a documented error. */
export type DocumentedErrorClass = (typeof documentedErrors)[keyof typeof documentedErrors]

/** Returns whether a value is one of the documented errors. */
export const isDocumentedError = (error: unknown): error is InstanceType<DocumentedErrorClass> =>
  isFailure(error) && Object.hasOwn(documentedErrors, error._tag)

/** The errors of `getSmsStatus`. */
export type GetSmsStatusError =
  | InvalidRequest
  | AuthenticationFailed
  | InsufficientPermissions
  | NotFound
  | InternalServerError
  | ClientFailure

/** The errors of `getAirtimeStatus`. */
export type GetAirtimeStatusError = GetSmsStatusError

/** The errors of `sendSms`. */
export type SendSmsError = GetSmsStatusError | PaymentRequired

/** The errors of `getDataBundleStatus`. */
export type GetDataBundleStatusError = InvalidRequest | ClientFailure

/** The errors of `listDataBundles`. */
export type ListDataBundlesError = InvalidRequest | ClientFailure

/** Any error of any operation. */
export type OperationError = SendSmsError
