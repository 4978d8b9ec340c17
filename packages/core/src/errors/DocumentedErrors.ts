/**
 * The six error responses that the service documents, one class a status.
 *
 * Which of them an operation can fail with is declared by that operation. `error.title` and
 * `error.detail` hold the service's own words. They can repeat personal data, so they are there to
 * read and in no rendering of the error.
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
