/**
 * The address of the resource that has the status of an SMS.
 */
import { isVisible } from "../send/Text.ts"

export const smsUriTemplate = "messaging-topup://sms/{message_id}"

/** Longer ids are of no use in an address. */
const maxIdLength = 200

const isUsable = (messageId: string): boolean =>
  messageId.length <= maxIdLength && messageId.isWellFormed() && isVisible(messageId)

/** Leaves out ids that cannot be read. */
export const smsUris = (messageIds: ReadonlyArray<string>): ReadonlyArray<string> =>
  messageIds
    .filter(isUsable)
    .map((messageId) => smsUriTemplate.replace("{message_id}", encodeURIComponent(messageId)))
