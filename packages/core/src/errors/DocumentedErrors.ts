/**
 * The six error responses that the service documents, one class per status.
 *
 * Each operation declares which of them it can fail with. `error.title` and `error.detail` hold the
 * service's own explanation. They can contain personal data, so printing the error does not show
 * them.
 *
 * Source: service description §7
 */
import * as Schema from "effect/Schema"
import { errorClass, operation, requestId } from "./ErrorClass.ts"
import type { SendOutcome } from "./FailureOutcome.ts"

/**
 * The service's explanation of an error. A field is absent if the service did not send it.
 *
 * Source: service description §2.7
 */
export interface ErrorDetail {
  /**
   * HTTP status code. The description shows only a placeholder here, so rely on `status` of the
   * error.
   */
  readonly status?: number
  /** Short title of the error. */
  readonly title?: string
  /** Explanation. */
  readonly detail?: string
}

/**
 * The error body of the service. Only the HTTP status of the response decides which error it is.
 *
 * Source: service description §2.7
 */
export const ErrorBody = Schema.Struct({
  success: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Always false in an error body" })
  ),
  error: Schema.Struct({
    status: Schema.optionalKey(
      Schema.Int.annotate({ description: "HTTP status code", format: "int32" })
    ),
    title: Schema.optionalKey(Schema.String.annotate({ description: "Short title of the error" })),
    detail: Schema.optionalKey(Schema.String.annotate({ description: "Explanation" }))
  }).annotate({ description: "Error detail" })
}).annotate({ identifier: "ErrorBody" })

/** A value of the schema {@link ErrorBody}. */
export interface ErrorBody {
  /** Always false in an error body. */
  readonly success?: boolean
  /** The service's explanation. */
  readonly error: ErrorDetail
}

/**
 * What another call would meet: the same error for this request, for every request of the account, or
 * perhaps another response of the service.
 */
type Concern = "request" | "account" | "service"

/** What is known about a documented error status. */
interface Definition<Status extends number, Concerns extends Concern> {
  readonly status: Status
  readonly concerns: Concerns
  /** In the words of the service description. */
  readonly title: string
  /** Whether an SMS went out, if the service responds to `sendSms` with this status. */
  readonly sendOutcome: SendOutcome
  /** What happened, then what to do. */
  readonly advice: string
}

/** Makes the class of one status. Its definition can be read from the class. */
const documentedError =
  <Self>() =>
  <const Tag extends string, const Status extends number, const Concerns extends Concern>(
    tag: Tag,
    definition: Definition<Status, Concerns>
  ) =>
    Object.assign(
      errorClass<
        Self,
        {
          /** The HTTP status of the response; `error.status` is what its body says. */
          readonly status: Status
        }
      >()(
        tag,
        { ...ErrorBody.fields, requestId, operation },
        {
          message: () =>
            `${definition.advice} (HTTP ${definition.status}; the service's own words are in error.error.title and error.error.detail)`,
          hidden: { success: undefined, error: {} }
        },
        { status: definition.status }
      ),
      definition
    )

/** HTTP 400, "Invalid Request Value". */
export class InvalidRequest extends documentedError<InvalidRequest>()("InvalidRequest", {
  status: 400,
  concerns: "request",
  title: "Invalid Request Value",
  sendOutcome: "not-sent",
  advice: "The service refused a value of the request: correct it and call again"
}) {}

/** HTTP 401, "Authentication failed". */
export class AuthenticationFailed extends documentedError<AuthenticationFailed>()(
  "AuthenticationFailed",
  {
    status: 401,
    concerns: "account",
    title: "Authentication failed",
    sendOutcome: "not-sent",
    advice:
      "The service did not accept the access token: check MESSAGING_TOPUP_TOKEN or the token option"
  }
) {}

/** HTTP 402, "Payment Required". */
export class PaymentRequired extends documentedError<PaymentRequired>()("PaymentRequired", {
  status: 402,
  concerns: "account",
  title: "Payment Required",
  sendOutcome: "not-sent",
  advice: "The service asks for payment before it sends: settle the account, then send again"
}) {}

/** HTTP 403, "Insufficient permissions". */
export class InsufficientPermissions extends documentedError<InsufficientPermissions>()(
  "InsufficientPermissions",
  {
    status: 403,
    concerns: "account",
    title: "Insufficient permissions",
    sendOutcome: "not-sent",
    advice: "The access token has no permission for this operation: use one that has"
  }
) {}

/** HTTP 404, "Not found", or "Unknown message id" of `getSmsStatus`. */
export class NotFound extends documentedError<NotFound>()("NotFound", {
  status: 404,
  concerns: "request",
  title: "Not found",
  sendOutcome: "not-sent",
  advice: "The service did not find what was asked for: check the identifier, and the base URL"
}) {}

/** HTTP 500, "Internal server error". */
export class InternalServerError extends documentedError<InternalServerError>()(
  "InternalServerError",
  {
    status: 500,
    concerns: "service",
    title: "Internal server error",
    sendOutcome: "unknown",
    advice:
      "The service failed: retry a read in a few moments; an SMS may have gone out, so it is not safe to send it again"
  }
) {}

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

/**
 * Returns whether an error is one of the documented errors.
 *
 * @example
 * ```ts
 * import { ConnectionLost, isDocumentedError, PaymentRequired } from "@messaging-topup/core"
 *
 * console.log(isDocumentedError(new PaymentRequired({ error: {} }))) // true
 * console.log(isDocumentedError(new ConnectionLost({}))) // false
 * ```
 */
export const isDocumentedError = (error: {
  readonly _tag: string
}): error is InstanceType<DocumentedErrorClass> => Object.hasOwn(documentedErrors, error._tag)
