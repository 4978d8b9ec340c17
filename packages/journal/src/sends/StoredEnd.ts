/** What the end of a request means for its key. */
import type { SendEnd, SendSmsError } from "@messaging-topup/core"
import { isOwnFault } from "../model/Final.ts"
import type { StoredEnd } from "../model/Send.ts"

/** Returns an error's name and status. Its text could contain a phone number or an SMS text. */
export const reasonOf = (error: SendSmsError | undefined): string => {
  if (error === undefined) return "Interrupted"
  const status = "status" in error && error.status !== undefined ? ` ${error.status}` : ""
  const field = error._tag === "InvalidInput" ? ` ${error.field}` : ""
  return `${error._tag}${status}${field}`
}

/**
 * Returns how a send ended for the journal. What concerns the account, what the service is too busy
 * for, and what never started leaves nothing.
 */
export const storedEndOf = ({
  error,
  outcome,
  results
}: Omit<SendEnd<unknown, unknown>, "exit">): StoredEnd => {
  switch (outcome) {
    case "sent":
      // The service's response also contains the phone number, which is not stored.
      return {
        state: outcome,
        messages: results.map(({ message_id, status }) => ({ message_id, status }))
      }
    case "unknown":
      return { state: outcome, reason: reasonOf(error) }
    case "not-sent":
      return error !== undefined && isOwnFault(error)
        ? { state: "rejected", reason: reasonOf(error) }
        : { state: "nothing" }
  }
}
