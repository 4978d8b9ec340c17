/**
 * The six error responses that the service documents, one class per status.
 *
 * Each operation declares which of them it can fail with. `error.title` and `error.detail` hold the
 * service's own explanation. They can contain personal data, so printing the error does not show
 * them.
 *
 * Source: service description §7
 * @since 0.1.0
 */
export * from "./AuthenticationFailed.ts"
export * from "./InsufficientPermissions.ts"
export * from "./InternalServerError.ts"
export * from "./InvalidRequest.ts"
export * from "./NotFound.ts"
export * from "./PaymentRequired.ts"
