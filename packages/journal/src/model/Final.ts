/** Which errors no later call changes. */
import {
  documentedErrors,
  isDocumentedError,
  isFailure
} from "@messaging-topup/core/internal/errors"
import type { SendSmsError } from "@messaging-topup/core"
import type { SendOnceError } from "./Errors.ts"

/** Whether the service would refuse this very request again. */
export const isOwnFault = (error: { readonly _tag: string }): boolean =>
  error._tag === "InvalidInput" ||
  (isDocumentedError(error) && documentedErrors[error._tag].concerns === "request")

/** Of the errors that only the journal has. */
const areFinal: Readonly<Record<string, boolean>> = {
  CampaignPruned: true,
  JournalLocked: false,
  JournalUnavailable: false,
  KeyConflict: true,
  OutcomeUnknown: false,
  SendClosed: true
} satisfies Record<Exclude<SendOnceError, SendSmsError>["_tag"], boolean>

/**
 * Returns whether `sendOnce` fails so whenever it is called with this key and this request, unless a person takes a
 * decision back. After every other error, a later call may end otherwise: when the account is settled, the service is
 * back, or a person has decided about an unknown outcome. It is false for any other value.
 */
export const isFinal = (error: unknown): boolean =>
  isFailure(error) && (areFinal[error._tag] === true || isOwnFault(error))
