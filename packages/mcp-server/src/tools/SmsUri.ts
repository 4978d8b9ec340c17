/**
 * The address of the resource that has the status of an SMS.
 */
import type { SendResult } from "@messaging-topup/core"
import { isVisible } from "../send/Text.ts"

export const smsUriTemplate = "messaging-topup://sms/{message_id}"

/** Longer ids are of no use in an address. */
const maxIdLength = 200

/** Whether an address can name the id. */
export const isUsable = (messageId: string): boolean =>
  messageId.length <= maxIdLength && messageId.isWellFormed() && isVisible(messageId)

/** Returns the address of the first result with an id that can be read. */
export const smsUri = (results: ReadonlyArray<SendResult>): string | undefined => {
  const found = results.find(({ message_id }) => isUsable(message_id))
  return found === undefined
    ? undefined
    : smsUriTemplate.replace("{message_id}", encodeURIComponent(found.message_id))
}
