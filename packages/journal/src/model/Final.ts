/** Which errors no later call changes. */
import {
  documentedErrors,
  isDocumentedError,
  isFailure
} from "@messaging-topup/core/internal/errors"
import type { SendOnceError } from "./Errors.ts"

/** Whether the service would refuse this very request again. */
export const isOwnFault = (error: { readonly _tag: string }): boolean =>
  error._tag === "InvalidInput" ||
  (isDocumentedError(error) && documentedErrors[error._tag].concerns === "request")

const finalErrors: ReadonlySet<string> = new Set<SendOnceError["_tag"]>([
  "CampaignPruned",
  "KeyConflict",
  "SendClosed"
])

/**
 * Returns whether `sendOnce` fails so whenever it is called with this key and this request, unless a person takes a
 * decision back. After every other error, a later call may end otherwise: when the account is settled, the service is
 * back, or a person has decided about an unknown outcome. It is false for any other value.
 */
export const isFinal = (error: unknown): boolean =>
  isFailure(error) && (finalErrors.has(error._tag) || isOwnFault(error))
